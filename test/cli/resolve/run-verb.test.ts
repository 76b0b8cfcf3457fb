import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVerb } from '../../../src/cli/resolve/run-verb.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';
import { dayReport } from '../../workers/support/day-report.ts';
import { DAY_MS, contextAt, doubtfulBatch, resultOf } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
let folder: string;
beforeAll(async () => {
  world = await openTestLedger();
  folder = await mkdtemp(join(tmpdir(), 'paydrop-reports-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const reason = 'asked the service';

describe('runVerb', () => {
  it('says of each way what came of it', async () => {
    const doubtful = async (answers = {}) => contextAt(world, await doubtfulBatch(world), { answers });
    const batch = await doubtfulBatch(world);
    const known = await contextAt(world, batch, { answers: { 9001: resultOf(batch), 9002: resultOf(batch, [2, 7]) } });
    const differs = await runVerb(known, { kind: 'adopt', batchId: '9002' }, '.');
    expect(differs).toMatchObject({ status: 4, json: { verb: 'adopt', result: 'differs', batchId: '9002' } });
    expect(differs.text).toMatch(/is not batch id 9002: [^]*Nothing was changed\.\n\nRow +Line +Sent +Came back/);
    const probed = await runVerb(known, { kind: 'probe', range: { from: '9001', to: '9001' } }, '.');
    expect(probed).toMatchObject({ status: 0, json: { matches: ['9001'] } });
    const adopted = await runVerb(known, { kind: 'adopt', batchId: '9001' }, '.');
    expect(adopted).toMatchObject({ status: 0, json: { state: 'submitted', batchId: '9001' } });

    const closed = await runVerb(await doubtful(), { kind: 'close-in-doubt', reason }, '.');
    expect(closed).toMatchObject({ status: 0, json: { verb: 'close-in-doubt', state: 'reconciled' } });
    const exception = await contextAt(world, await world.batchIn('exception'));
    const disowned = await runVerb(exception, { kind: 'disown', reason }, '.');
    expect(disowned).toMatchObject({ status: 0, json: { verb: 'disown', state: 'unknown' } });

    const late = await doubtful();
    world.clock.advance(DAY_MS);
    const again = await runVerb(late, { kind: 'not-received', evidence: 'Ann, ticket 4711', reason }, '.');
    expect(again).toMatchObject({ status: 0, json: { verb: 'not-received', state: 'ready', attempt: 2 } });
    expect(again.text).toContain('it is sent once more, as attempt 2.');
    world.clock.set(START);
  });

  it('reads a report from the disk, and says what is wrong with one that cannot be read', async () => {
    const context = await contextAt(world, await doubtfulBatch(world));
    const path = join(folder, 'report.csv');
    await writeFile(path, dayReport([{ at: new Date(START) }]));
    const read = await runVerb(context, { kind: 'journal', path, reason }, '.');
    expect(read).toMatchObject({ status: 4, json: { verb: 'journal', result: 'kept', counts: { absent: 2 } } });
    const journal = (name: string) => runVerb(context, { kind: 'journal', path: name, reason }, '.');
    await expect(journal(join(folder, 'none.csv'))).rejects.toThrow(/"none\.csv": there is no such file/);
    await expect(journal(folder)).rejects.toMatchObject({ code: 'USAGE' });
    await truncate(path, 51 * 1024 * 1024);
    await expect(journal(path)).rejects.toThrow('no report of the service is that large');
  });
});
