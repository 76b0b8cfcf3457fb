import { parseArgs } from 'node:util';
import { sweep } from '../../workers/upkeep/sweep.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { sendBatches } from '../world/send-batches.ts';
import { dueBatches } from '../../src/ledger/batch/due-work.ts';
import { takeDue } from '../../src/ledger/stage/taken.ts';
import { printSample } from '../measure/report-sample.ts';
import { median, percentile } from '../measure/statistics.ts';
import { forceStatements } from '../world/fill-ledger.ts';
import { openBenchApp, takeInFile } from '../world/take-in-file.ts';

/**
 * `polling --root DIR --file FILE --open N`: times one poll while N batches wait. The service reports all of them as not
 * done. Then times a look for what is due, and a sweep.
 */
const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '' },
    file: { type: 'string', default: '' },
    open: { type: 'string', default: '1' },
  },
});
const POLLS = 200;
const open = Number(values.open);
const app = await openBenchApp(values.root);
const fileId = await takeInFile(app, values.file);
await sendBatches(app);
await forceStatements(app, [
  // Copies the submitted batch, so that the columns need not be named here.
  `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object(
     'batch_no', n, 'batch_id', 'waiting-' || n))).*
   FROM batch b, generate_series(2, ${open}) n WHERE b.batch_no = 1`,
  'ANALYZE batch',
]);
const polls: number[] = [];
for (let n = 0; n < POLLS; n += 1) {
  const batchNo = 1 + Math.floor((n * open) / POLLS);
  polls.push(await secondsOf(() => askForResult(app, { fileId, batchNo })));
}
const looking = await secondsOf(() =>
  takeDue(app.ledger, 'poll', dueBatches(app.ledger), {
    limit: { things: 6, weight: 5_000 },
    back: { ended: [], later: [] },
    laterMs: 0,
  }),
);
const sweeping = await secondsOf(() => sweep(app));
printSample({
  seconds: median(polls),
  figures: {
    pollP99Ms: percentile(polls, 0.99) * 1_000,
    lookMs: looking * 1_000,
    sweepSeconds: sweeping,
  },
});
await app.close();

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}
