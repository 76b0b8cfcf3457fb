import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { readBatchRow, readFileRow, readOutcomeTotals } from '../../src/ledger/file/read-file.ts';
import { FAULT_KINDS, type FaultName } from '../../src/sandbox/faults/fault-kinds.ts';
import { checkFolders } from '../../workers/watch/check-folders.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { takeIn } from '../workers/support/story.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { deliverFile, submitBatch } from '../support/work-alone.ts';

/**
 * Every way in which the sandbox can spoil a result file. A batch is reconciled only when each of its rows is certain.
 * What is no result at all is polled again. A result that does not fit becomes an exception, which resolves itself once
 * the service has fixed it.
 */
const world = openedForTests(() =>
  openPipelineWorld({ sandbox: { batchDelayMs: 0 }, account: { poll: { firstMs: 0, longestMs: 0 } } }),
);
beforeAll(async () => {
  await checkFolders(world.settings);
});

type After = 'reconciled' | 'submitted' | 'exception';

const AFTER: Partial<Record<FaultName, After>> = {
  'result-row-missing': 'exception',
  'result-row-extra': 'exception',
  'result-rows-reordered': 'reconciled',
  'result-amount-altered': 'exception',
  'result-invoice-altered': 'exception',
  'result-number-altered': 'exception',
  'result-requoted': 'reconciled',
  'result-line-feeds': 'reconciled',
  'result-late-change': 'reconciled',
  'result-base64-damaged': 'submitted',
  'result-base64-twice': 'exception',
  'result-empty': 'submitted',
  'result-nul': 'exception',
  'result-utf16': 'exception',
  'result-gzip': 'exception',
  'result-denied': 'submitted',
  'result-still-running': 'submitted',
};

let files = 0;

/** Sends four rows, with an approval and a decline among them, under a clock that is moved by hand. */
async function sent() {
  files += 1;
  const rows = upTo(4).map((n) => cardRow(files * 10 + n, n === 2 ? { amount: '2500.00' } : {}));
  const fileId = await takeIn(world.app, 'drop/card', lines(rows), `faults-${files}.csv`);
  const key = { fileId, batchNo: 1 };
  await submitBatch(world.app, key);
  const clock = handClock(new Date());
  const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
  const stateNow = async () => (await readBatchRow(app.ledger, key)).state;
  const outcomes = async () => {
    const { file_no: fileNo } = await readFileRow(app.ledger, fileId);
    const totals = await readOutcomeTotals(app.ledger, fileNo);
    return Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, total.rows]));
  };
  return { app, clock, key, stateNow, outcomes };
}

const RIGHT = { approved: 3, declined: 1 };

describe('a result file of the service', () => {
  it('is spoilt in every way that the sandbox knows', () => {
    const kinds = Object.keys(FAULT_KINDS).filter((name) => name.startsWith('result-'));
    expect(Object.keys(AFTER).sort()).toEqual(kinds.sort());
  });

  it.each(Object.entries(AFTER) as [FaultName, After][])('with %s is %s, and right in the end', async (kind, after) => {
    const { app, clock, key, stateNow, outcomes } = await sent();
    world.sandbox.faults.plan({ kind, operation: 'getBatchProcessResultFile' });
    await askForResult(app, key);
    expect(await stateNow()).toBe(after);
    if (kind === 'result-late-change') expect(await outcomes()).toEqual({ approved: 2, declined: 1, unknown: 1 });
    else expect(await outcomes()).toEqual(after === 'reconciled' ? RIGHT : { not_sent: 4 });
    if (after === 'reconciled') return;

    clock.advance(86_400_000);
    await askForResult(app, key);
    expect(await stateNow()).toBe('reconciled');
    expect(await outcomes()).toEqual(RIGHT);
  });

  it('that changes late gets a correction, and the files that were delivered stay', async () => {
    const { app, clock, key, outcomes } = await sent();
    const out = (suffix: string) =>
      readFile(join(world.settings.paths.out, `faults-${files}__${key.fileId.slice(0, 8)}.${suffix}`), 'utf8');
    world.sandbox.faults.plan({ kind: 'result-late-change', operation: 'getBatchProcessResultFile' });
    await askForResult(app, key);
    await deliverFile(app, { fileId: key.fileId });
    const before = [await out('result.csv'), await out('summary.json')];
    expect(before[0]).toContain(',UNKNOWN,,TIMEOUT,');

    clock.advance(3_600_000);
    await askForResult(app, key);
    await deliverFile(app, { fileId: key.fileId });
    expect(await outcomes()).toEqual(RIGHT);
    const [titles, row, ...more] = (await out('result.c01.csv')).trimEnd().split('\r\n');
    expect(titles).toContain('Old Outcome');
    expect(row).toMatch(/^4,.*,APPROVED,,OK: 678594:,678594,.*,UNKNOWN,,TIMEOUT,/);
    expect(more).toEqual([]);
    expect(JSON.parse(await out('summary.c01.json')).outcomes).toEqual({
      APPROVED: { rows: 3, total: '75.00' },
      DECLINED: { rows: 1, total: '2500.00' },
    });
    expect([await out('result.csv'), await out('summary.json')]).toEqual(before);
  });
});
