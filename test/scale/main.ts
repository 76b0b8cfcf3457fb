/** `npm run scale`: see README.md beside this file. */
import { openEngines } from './hosts.ts';
import { runScale } from './run-scale.ts';
import { readOptions } from '../support/read-options.ts';
import { measureOne } from './measure-one.ts';
import { runLong } from './run-long.ts';

const values = readOptions(
  'scale',
  {
    files: { type: 'string', default: '200' },
    rows: { type: 'string', default: '500' },
    accounts: { type: 'string', default: '4' },
    workers: { type: 'string', default: '2' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    queue: { type: 'string', default: 'postgres' },
    away: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    one: { type: 'boolean', default: false },
    hours: { type: 'string' },
    pace: { type: 'string', default: '0' },
    answer: { type: 'string', default: '0' },
    commit: { type: 'string', default: '0' },
    submit: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  ['kills', 'files', 'answer', 'commit', 'pace'],
);
const say = (text: string) => void process.stderr.write(`${text}\n`);
const size = { files: Number(values.files), rowsPerFile: Number(values.rows), accounts: Number(values.accounts) };

if (values.one) {
  const [answerMs, seconds, paceSeconds] = [values.answer, values.seconds, values.pace].map(Number) as [
    number,
    number,
    number,
  ];
  const measured = await measureOne({ ...size, answerMs, seconds, paceSeconds, say });
  print('one', measured);
} else if (values.hours !== undefined) {
  const report = await runLong({
    hours: Number(values.hours),
    seed: Number(values.seed),
    rowsPerFile: size.rowsPerFile,
    accounts: size.accounts,
    paceSeconds: Number(values.pace) || 3,
    answerMs: Number(values.answer),
    say,
  });
  print('hours', report, report.failures);
} else {
  await scale();
}

async function scale(): Promise<void> {
  const engines = await openEngines({
    queue: values.queue,
    away: values.away,
    seconds: Number(values.seconds),
    commitMs: Number(values.commit),
    ...(Number(values.workers) > 2 && { isLarge: true }),
  });
  const { workers, kills, seed, submit } = values;
  const calls = { answerMs: Number(values.answer), submit: submit === undefined ? undefined : Number(submit) };
  const plan = { ...size, ...calls, workers: Number(workers), kills: Number(kills), seed: Number(seed), say };
  const report = await runScale({ ...plan, ...engines.given });
  await engines.stop();
  print('scale', report, report.failures);
}

function print(kind: 'one' | 'scale' | 'hours', report: object, failures: readonly string[] = []): void {
  process.exitCode = failures.length === 0 ? 0 : 1;
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ kind, queue: values.queue, ...report }, null, 2)}\n`);
    return;
  }
  const figures = Object.entries(report).filter(([name]) => !['failures', 'minutes'].includes(name));
  for (const [name, figure] of figures) process.stdout.write(`${name.padEnd(18)} ${figure}\n`);
  const fine = 'Books, ledger and outputs agree; each account in the order of its files.';
  if (kind !== 'one') process.stdout.write(`${failures.join('\n') || fine}\n`);
}
