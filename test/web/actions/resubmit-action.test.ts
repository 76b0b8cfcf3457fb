import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openDashboardWorld);
let operator: TestBrowser;
let path: string;
beforeAll(async () => {
  operator = await world.as('operator');
  const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'june.csv', lines([cardRow(1), declined, cardRow(3)]));
  await world.finish();
  path = `/files/${(await fileNamed(world, 'june.csv')).file_id}/do/resubmit`;
});

const inFolder = () => readdir(join(world.root, 'drop', 'card'));

describe('resubmit', () => {
  it('shows which rows it would be, and writes nothing', async () => {
    const { status, words } = await openAction(operator, path);
    expect(status).toBe(200);
    expect(words).toContain('1 row, 2.00 USD are sent again in a new file');
    expect(words).toContain('Lines 2');
    expect(await inFolder()).toEqual([]);
  });

  it('refuses a choice without rows, and one that there is not', async () => {
    const none = await openAction(operator, `${path}?only=not-sent`);
    expect([none.status, none.words]).toEqual([409, expect.stringContaining('it has no such rows')]);
    expect((await openAction(operator, `${path}?only=approved`)).status).toBe(400);
    expect((await openAction(operator, `${path}?only=drop-again`)).words).toContain('none is missing');
  });

  it('drops them once, as a new file that walks the whole way', async () => {
    const done = await doIt(operator, `${path}?only=declined`, { reason: 'the card is good now' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Resubmitted: 1 row, 2.00 USD.')]);
    const [name = ''] = await inFolder();
    const waiting = await openAction(operator, path);
    expect([waiting.status, waiting.words]).toEqual([409, expect.stringContaining(`"${name}" with 1 row of it`)]);
    await rm(join(world.root, 'drop', 'card', name));
    const setOutcome = (outcome: string, correctionNo: number) =>
      query(
        world.app,
        `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
         SELECT file_no, 2, $2, $1, 'x', '', now(), 'a test' FROM file WHERE name = 'june.csv'`,
        [outcome, correctionNo],
      );
    await setOutcome('not_charged', 1);
    const refused = await openAction(operator, `${path}?only=drop-again`);
    expect([refused.status, refused.words]).toEqual([409, expect.stringContaining('cannot be sent again now')]);
    await setOutcome('declined', 2);
    const again = await doIt(operator, `${path}?only=drop-again`, { reason: 'somebody removed it' });
    expect(again.words).toContain(`Dropped again: ${name}.`);
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv': 'completed', [name]: 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['C-1', 'C-2', 'C-3', 'C-2']);
    expect((await openAction(operator, path)).words).toContain('every such row was already resubmitted');
  });

  it('shows and does the same with rows that the newest report of the service shows, or of which it proves nothing', async () => {
    // Both were charged, although reports once proved otherwise.
    const { file_no: fileNo } = await fileNamed(world, 'june.csv');
    await query(
      world.app,
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       SELECT $1, line, 1, 'not_charged', 'two reports lack it', '', now(), 'a test' FROM unnest('{1,3}'::int[]) AS line`,
      [fileNo],
    );
    const plan = await openAction(operator, path);
    expect([plan.status, plan.words]).toEqual([200, expect.stringContaining('Line 1 is not sent again')]);
    expect(plan.words).toContain('Correct the outcome of 2 rows');
    const done = await doIt(operator, path, { reason: 'send them again' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Line 3 is not sent again')]);
    expect(done.words).toContain('corrected from NOT_CHARGED to UNKNOWN');
    expect(await inFolder()).toEqual([]);
    await query(
      world.app,
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 1, 9, 'not_charged', 'two reports lack it', '', now(), 'a test')`,
      [fileNo],
    );
    world.sandbox.faults.plan({ kind: 'http-503', operation: 'getCreditCardApprovedDateRangeCSV', times: 'always' });
    const refused = await openAction(operator, path);
    expect(refused.status).toBe(409);
    expect(refused.words).toContain(
      '1 row of batch 1 (line 1) cannot be sent again now, because the service did not give its newest report',
    );
  });
});
