/** `npm run scale`: see README.md beside this file. */
import { openEngines, runScale } from './run-scale.ts';
import { readOptions } from '../support/read-options.ts';

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
    json: { type: 'boolean', default: false },
  },
  ['kills'],
);
const engines = await openEngines({
  queue: values.queue,
  away: values.away,
  seconds: Number(values.seconds),
  isLarge: Number(values.workers) > 2,
});
const report = await runScale({
  files: Number(values.files),
  rowsPerFile: Number(values.rows),
  accounts: Number(values.accounts),
  workers: Number(values.workers),
  kills: Number(values.kills),
  seed: Number(values.seed),
  ...engines.given,
  say: (text) => process.stderr.write(`${text}\n`),
});
await engines.stop();
const { failures, ...figures } = report;
process.stdout.write(
  values.json
    ? `${JSON.stringify({ kind: 'scale', queue: values.queue, ...report }, null, 2)}\n`
    : `${Object.entries(figures)
        .map(([name, figure]) => `${name.padEnd(14)} ${figure}`)
        .join(
          '\n',
        )}\n${failures.join('\n') || 'Books, ledger and outputs agree; each account in the order of its files.'}\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
