import { beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { sendFile } from '../support/send-file.ts';

const world = dashboardForTests();
let operator: TestBrowser;
beforeAll(async () => {
  operator = await world.as('operator');
});

async function refusals() {
  const { rows } = await world.app.ledger.pool.query(
    `SELECT actor, reason, evidence FROM audit WHERE move = 'access-refused' ORDER BY seq`,
  );
  return rows;
}

/** The tests build on each other. */
describe('noteRefusals', () => {
  it('records what a user may not do, once a minute however often they try', async () => {
    for (let tries = 0; tries < 3; tries += 1) expect((await operator.get('/people?who=4111')).status).toBe(403);
    await operator.post('/people', { name: 'eve', role: 'admin', reason: 'why not' });
    const refused = { actor: 'operator:operator', reason: 'NOT_ALLOWED' };
    expect(await refusals()).toEqual([
      { ...refused, evidence: { method: 'GET', route: '/people', from: '127.0.0.1' } },
      { ...refused, evidence: { method: 'POST', route: '/people', from: '127.0.0.1' } },
    ]);
  });

  it('records what a program may not do, and a form without the token of the session', async () => {
    const program = await world.program('operator', ['look']);
    expect((await program.ask('/accounts/main/pause', { reason: 'x' })).status).toBe(403);
    expect((await operator.post('/me/password', {}, 'not the token')).status).toBe(403);
    expect((await refusals()).slice(2)).toMatchObject([
      { actor: 'operator:operator', reason: 'NOT_ALLOWED', evidence: { route: expect.stringContaining('/api/v1/') } },
      { actor: 'operator:operator', reason: 'STRANGE_FORM', evidence: { route: '/me/password' } },
    ]);
  });

  it('records who tries to approve their own file, and no stranger', async () => {
    const admin = await world.as('admin');
    const content = lines([cardRow(1), cardRow(1)]);
    await sendFile(admin, 'submit', { name: 'own.csv', content });
    await world.finish();
    const { file_id: fileId } = await findFile(world.app.ledger, 'own.csv');
    const { text } = await admin.get(`/files/${fileId}/do/approve`);
    const [, bind = ''] = /name="bind" value="(\w+)"/.exec(text) ?? [];
    const { status } = await admin.post(`/files/${fileId}/do/approve`, { bind, reason: 'mine' });
    expect(status).toBe(403);
    await world.stranger().get('/people', { accept: 'application/json' });
    expect((await refusals()).slice(4)).toMatchObject([
      { actor: 'operator:admin', reason: 'SECOND_PERSON', evidence: { method: 'GET' } },
      { actor: 'operator:admin', reason: 'SECOND_PERSON', evidence: { method: 'POST' } },
    ]);
  });
});
