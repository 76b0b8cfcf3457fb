import { parseArgs } from 'node:util';
import { FUNCTIONS_SCHEMA } from '../../src/ledger/engine/schema.ts';
import { readBatches } from '../../src/ledger/file/read-file.ts';
import { DELIVER } from '../../workers/deliver/deliver.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { runOnce } from '../../workers/stage.ts';
import { sendBatches } from '../world/send-batches.ts';
import { startStopWatch } from '../measure/processor-time.ts';
import { printSample } from '../measure/report-sample.ts';
import { openBenchApp, takeInFile } from '../world/take-in-file.ts';

/**
 * `gate --root DIR [--unasked] FILE…`: takes the files one after the other from intake to result. With --unasked the gate
 * no longer asks what was learned after a file was decided.
 */
const { values, positionals } = parseArgs({
  options: { root: { type: 'string', default: '' }, unasked: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const app = await openBenchApp(values.root);
if (values.unasked) await app.ledger.pool.query(UNASKED());
const stopWatch = startStopWatch(process.pid, values.root);
const started = performance.now();
for (const path of positionals) {
  const fileId = await takeInFile(app, path);
  const keys = (await readBatches(app.ledger, fileId)).map(keyOf);
  await sendBatches(app);
  for (const key of keys) await askForResult(app, key);
  await runOnce(app, DELIVER);
}
const seconds = (performance.now() - started) / 1_000;
const { rows } = await app.ledger.pool.query<{ done: number }>(
  `SELECT count(*)::int AS done FROM file WHERE state = 'completed'`,
);
if (rows[0]?.done !== positionals.length)
  throw new Error(`${rows[0]?.done} of ${positionals.length} files are completed`);
printSample({ seconds, figures: { files: positionals.length, ...stopWatch() } });
await app.close();

function UNASKED(): string {
  const answers = (name: string, type: string, answer: string) =>
    `CREATE OR REPLACE FUNCTION ${FUNCTIONS_SCHEMA}.${name}(p_file_id ${type}) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN ${answer}; END $$;`;
  return `${answers('has_come_late', 'text', 'false')} ${answers('is_compared', 'text', 'true')}
    DROP TRIGGER not_charged_meanwhile ON batch;`;
}
