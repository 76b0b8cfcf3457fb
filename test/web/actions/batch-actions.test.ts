import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { submitBatch } from '../../support/work-alone.ts';

const because = { actor: 'operator:ada', reason: 'wait' };

/** Each file has its own account, so that none waits for another. The first poll of each would be due in a minute. */
const NAMES = ['asked', 'strange', 'june'];

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
        operation: 'card',
        complete: { by: 'quiet', quietMs: 20, probes: 2 },
      })),
    },
  });
  operator = await world.as('operator');
  const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await pauseAccount(world.app.ledger, ALL_ACCOUNTS, because);
  for (const name of NAMES) await world.drop(name, `${name}.csv`, lines([cardRow(1), declined]));
  await world.finish();
  await resumeAccount(world.app.ledger, ALL_ACCOUNTS, because);
});
afterAll(async () => {
  await world.close();
  await service.close();
});

function accountOf(name: string): Record<string, unknown> {
  const poll = { firstMs: 60_000, factor: 1, longestMs: 60_000 };
  const login = { agentCode: name.toUpperCase(), password: 'TEST88', baseUrl: service.url };
  return { server: 'NA', country: 'US', currency: 'USD', ...login, poll };
}

async function path(name: string, action: string): Promise<string> {
  return `/files/${(await fileNamed(world, `${name}.csv`)).file_id}/batches/1/do/${action}`;
}

const keyOf = async (name: string) => ({ fileId: (await fileNamed(world, `${name}.csv`)).file_id, batchNo: 1 });

describe('repoll', () => {
  it('asks now, long before the next question is due, and may be repeated', async () => {
    expect((await openAction(operator, await path('asked', 'repoll'))).status).toBe(409);
    await submitBatch(world.app, await keyOf('asked'));
    const ask = async () => (await doIt(operator, await path('asked', 'repoll'), {})).words;
    await expect.poll(ask).toContain('The result has arrived and every row has its outcome.');
    expect(await ask()).toContain('Every row already had its outcome');
  });
});

describe('disown', () => {
  it('puts a batch whose result does not fit in doubt, and leads to the ways out', async () => {
    await submitBatch(world.app, await keyOf('strange'));
    service.faults.plan({ kind: 'result-amount-altered', operation: 'getBatchProcessResultFile' });
    const ask = async () => (await doIt(operator, await path('strange', 'repoll'), {})).words;
    await expect.poll(ask).toContain('The result does not match what was sent');
    const shown = await operator.get((await path('strange', 'disown')).replace('/do/disown', '/resolve'));
    expect(shown.text).toContain('This batch is not in doubt; its state is result mismatch');
    const done = await doIt(operator, await path('strange', 'disown'), { reason: 'the service says so' });
    expect(done.text).toMatch(/<a href="\/files\/\w+\/batches\/1\/resolve">Resolve it<\/a>/);
    expect((await readBatchRow(world.app.ledger, await keyOf('strange'))).state).toBe('unknown');
  });
});

/** The tests build on each other. */
describe('resubmit', () => {
  let form: string;
  const inFolder = () => readdir(join(world.root, 'drop', 'june'));

  it('shows which rows it would be, and refuses a choice that there is not', async () => {
    form = `/files/${(await keyOf('june')).fileId}/do/resubmit`;
    await submitBatch(world.app, await keyOf('june'));
    const ask = async () => (await doIt(operator, await path('june', 'repoll'), {})).words;
    await expect.poll(ask).toContain('The result has arrived');
    await world.finish();
    const { status, words } = await openAction(operator, form);
    expect([status, words]).toEqual([200, expect.stringContaining('Sends 1 row, 2.00 USD again in a new file')]);
    expect(words).toContain('Lines 2');
    expect((await openAction(operator, `${form}?only=not-sent`)).words).toContain('it has no such rows');
    expect((await openAction(operator, `${form}?only=drop-again`)).words).toContain('none is missing');
    expect((await openAction(operator, `${form}?only=approved`)).status).toBe(400);
    expect(await inFolder()).toEqual([]);
  });

  it('drops them in a new file, and again when that was removed', async () => {
    const done = await doIt(operator, `${form}?only=declined`, { reason: 'the card is good now' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Resubmitted: 1 row, 2.00 USD.')]);
    const [name = ''] = await inFolder();
    const waiting = await openAction(operator, form);
    expect([waiting.status, waiting.words]).toEqual([409, expect.stringContaining(`"${name}" with 1 row of it`)]);
    await rm(join(world.root, 'drop', 'june', name));
    const again = await doIt(operator, `${form}?only=drop-again`, { reason: 'somebody removed it' });
    expect(again.words).toContain(`Dropped again: ${name}.`);
    expect(await inFolder()).toEqual([name]);
  });
});
