import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyFaults } from '../../../../src/ledger/row/copy-rows.ts';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { transact } from '../../../../src/ledger/engine/transaction.ts';
import { cardRow, lines } from '../../../support/payment-rows.ts';
import {
  type DashboardWorld,
  openDashboardWorld,
  TEST_PEOPLE,
  type TestPerson,
} from '../../support/dashboard-world.ts';
import { forceSql } from '../../../support/force-sql.ts';

const EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>"';

let world: DashboardWorld;
let paths: string[];
beforeAll(async () => {
  world = await openDashboardWorld();
  const name = 'evil.csv';
  await world.drop('card', name, lines([cardRow(1)]));
  await world.finish();
  const { file_id: id, file_no: no } = await findFile(world.app.ledger, name);
  await transact(world.app.ledger, (tx) =>
    copyFaults(tx, no, 100, [{ code: 'FIELD_COMMA', line: 1, detail: EVIL, value: EVIL }]),
  );
  // Everything from a sender, the service or a user, at its worst.
  await forceSql(world.app, `UPDATE file SET name = $2, reason = $2 WHERE file_id = $1`, [id, EVIL]);
  await forceSql(world.app, `UPDATE batch SET reason = $2, batch_id = $2 WHERE file_id = $1`, [id, EVIL]);
  await forceSql(world.app, `UPDATE payment_row SET invoice = $2, customer_code = $2 WHERE file_no = $1`, [no, EVIL]);
  await forceSql(world.app, `UPDATE row_outcome SET message = $2 WHERE file_no = $1`, [no, EVIL]);
  await forceSql(world.app, `UPDATE audit SET reason = $2, actor = 'operator:' || $2 WHERE file_id = $1`, [id, EVIL]);
  await forceSql(
    world.app,
    `UPDATE attempt SET host = $2::text, evidence = jsonb_build_object('text', $2::text) WHERE file_id = $1`,
    [id, EVIL],
  );
  await forceSql(world.app, `UPDATE output SET name = $2 WHERE file_id = $1`, [id, EVIL]);
  const file = `/files/${id}`;
  const below = ['', '/rows', '/faults', '/batches', '/batches/1', '/outputs/ack'].map((path) => file + path);
  const query = encodeURIComponent(EVIL);
  paths = ['/files', `/files?name=${query}`, ...below, `${file}/rows?invoice=${query}`, `/search?q=${query}`];
});
afterAll(() => world.close());

describe('the pages of files', () => {
  it('show whatever a sender, the service or a person wrote as text', async () => {
    const viewer = await world.as('viewer');
    for (const path of paths) {
      const { status, text } = await viewer.get(path);
      expect([200, 409], path).toContain(status);
      expect(text, path).toContain('&lt;script>alert(1)');
      expect(text, path).not.toMatch(/<script>|<img/);
      expect(text, path).not.toMatch(/"[^">]*<(?:script|img)/);
    }
  });

  it.each(Object.keys(TEST_PEOPLE) as TestPerson[])('answer the %s', async (person) => {
    const browser = await world.as(person);
    for (const path of paths) expect([200, 409], path).toContain((await browser.get(path)).status);
  });

  it('send a stranger to the log-in, and tell a program nothing', async () => {
    for (const path of paths) {
      const { status, location } = await world.stranger().get(path);
      expect([status, location], path).toEqual([302, `/login?next=${encodeURIComponent(path)}`]);
      expect((await world.stranger().get(path, { accept: 'application/json' })).status, path).toBe(401);
    }
  });
});
