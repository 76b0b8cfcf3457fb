/** `npm run scale -- [--files 200] [--rows 500] [--workers 2] [--kills 20] [--seed 1] [--queue redis] [--json]` */
import { parseArgs } from 'node:util';
import { startTestRedis } from '../support/redis.ts';
import { runScale } from './run-scale.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '200' },
    rows: { type: 'string', default: '500' },
    accounts: { type: 'string', default: '4' },
    workers: { type: 'string', default: '2' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    queue: { type: 'string', default: 'postgres' },
    json: { type: 'boolean', default: false },
  },
});
const redis = values.queue === 'redis' ? await startTestRedis() : undefined;
const report = await runScale({
  files: Number(values.files),
  rowsPerFile: Number(values.rows),
  accounts: Number(values.accounts),
  workers: Number(values.workers),
  kills: Number(values.kills),
  seed: Number(values.seed),
  redisUrl: redis?.url,
  say: (text) => process.stderr.write(`${text}\n`),
});
await redis?.stop();
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
