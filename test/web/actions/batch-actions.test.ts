import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { achRow, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { query } from '../../workers/support/story.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const because = { actor: 'operator:ada', reason: 'wait' };

/** Each file has its own account, so that none waits for another. */
const NAMES = ['asked', 'strange', 'held'];

let world: DashboardWorld;
let service: Sandbox;
let operator: TestBrowser;
beforeAll(async () => {
  const accounts = NAMES.map((name) => ({ agentCode: name.toUpperCase(), password: 'TEST88' }));
  service = await startSandbox({ accounts, batchDelayMs: 10 });
  world = await openDashboardWorld({
    settings: {
      accounts: Object.fromEntries(NAMES.map((name) => [name, accountOf(name)])),
      folders: NAMES.map((name) => ({
        path: `drop/${name}`,
        account: name,
        operation: 'ach-charge',
        complete: { by: 'quiet', quietMs: 20, probes: 2 },
      })),
      batch: { maxRows: 2 },
    },
  });
  operator = await world.as('operator');
  await pauseAccount(world.app.ledger, ALL_ACCOUNTS, because);
  await world.drop('held', 'held.csv.ctl', 'rows=99\n');
  for (const [index, name] of NAMES.entries())
    await world.drop(name, `${name}.csv`, lines(upTo(4).map((n) => achRow(10 * index + n))));
  await world.finish();
  await resumeAccount(world.app.ledger, ALL_ACCOUNTS, because);
});
afterAll(async () => {
  await world.close();
  await service.close();
});

function accountOf(name: string): Record<string, unknown> {
  // The first poll would be due in a minute.
  const poll = { firstMs: 60_000, factor: 1, longestMs: 60_000 };
  const login = { agentCode: name.toUpperCase(), password: 'TEST88', baseUrl: service.url };
  return { server: 'NA', country: 'US', currency: 'USD', ...login, poll };
}

async function path(name: string, action: string, batchNo = 1): Promise<string> {
  return `/files/${(await fileNamed(world, name)).file_id}/batches/${batchNo}/do/${action}`;
}

async function batchOf(name: string, batchNo = 1) {
  return readBatchRow(world.app.ledger, { fileId: (await fileNamed(world, name)).file_id, batchNo });
}

async function submit(name: string): Promise<void> {
  await submitBatch(world.app, { fileId: (await fileNamed(world, name)).file_id, batchNo: 1 });
}

describe('cancel-batch', () => {
  it('is refused for a batch of a held file, which is decided as a whole', async () => {
    const { status, words } = await openAction(operator, await path('held.csv', 'cancel-batch'));
    expect([status, words]).toEqual([409, expect.stringContaining('the state of its file is needs approval')]);
  });
});

describe('repoll', () => {
  it('is refused for a batch that the service has not taken', async () => {
    expect((await openAction(operator, await path('asked.csv', 'repoll'))).status).toBe(409);
  });

  it('asks now, long before the next question is due, and may be repeated', async () => {
    await submit('asked.csv');
    const ask = async () => (await doIt(operator, await path('asked.csv', 'repoll'), {})).words;
    await expect.poll(ask).toContain('The result has arrived and every row has its outcome.');
    expect(await ask()).toContain('Every row already had its outcome');
    expect(service.books().filter(({ invoice }) => invoice === 'A-1')).toHaveLength(1);
  });
});

describe('disown', () => {
  it('puts a batch whose result does not fit in doubt, and leads to the ways out', async () => {
    await submit('strange.csv');
    service.faults.plan({ kind: 'result-amount-altered', operation: 'getBatchProcessResultFile' });
    const ask = async () => (await doIt(operator, await path('strange.csv', 'repoll'), {})).words;
    await expect.poll(ask).toContain('The result does not match what was sent');
    const shown = await operator.get((await path('strange.csv', 'disown')).replace('/do/disown', '/resolve'));
    expect(shown.text).toContain('This batch is not in doubt; its state is result mismatch');
    const done = await doIt(operator, await path('strange.csv', 'disown'), { reason: 'the service says so' });
    expect(done.text).toMatch(/<a href="\/files\/\w+\/batches\/1\/resolve">Resolve it<\/a>/);
    expect(await batchOf('strange.csv')).toMatchObject({ state: 'unknown', batch_id: null });
  });
});

describe('resubmit', () => {
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

  it('shows which rows it would be, and writes nothing', async () => {
    const { status, words } = await openAction(operator, path);
    expect(status).toBe(200);
    expect(words).toContain('Sends 1 row, 2.00 USD again in a new file');
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
