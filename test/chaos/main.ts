/** `npm run chaos`, with --queue postgres, redis or both. README.md beside this file says what it does. */
import { redisIsInstalled } from '../support/redis.ts';
import { findMountRefusal } from '../support/small-disk.ts';
import { type ChaosReport, runChaos } from './run-chaos.ts';
import type { QueueKind } from './support/acts.ts';
import { readOptions } from '../support/read-options.ts';

const values = readOptions('chaos', {
  kills: { type: 'string', default: '100' },
  seed: { type: 'string', default: '1' },
  queue: { type: 'string', default: 'both' },
  hosts: { type: 'string', default: '1' },
  power: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});

const queues = chooseQueues(values.queue);
const refusal = findMountRefusal();
if (refusal !== undefined) say(`No disk is filled, because none can be mounted here: ${refusal}`);
// A run that is stopped ends its stories and reports them.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const report = await runChaos({
  kills: Number(values.kills),
  seed: Number(values.seed),
  queues,
  canMount: refusal === undefined,
  hosts: Number(values.hosts),
  cutsPower: values.power,
  stop: stop.signal,
  say,
});
print(values.json ? JSON.stringify({ kind: 'chaos', ...report }, null, 2) : describe(report));
process.exitCode = report.failures.length === 0 ? 0 : 1;

/** Returns the queues to try. Redis needs an installed server; the run reports when there is none. */
function chooseQueues(wanted: string): QueueKind[] {
  if (wanted === 'postgres') return ['postgres'];
  if (wanted !== 'redis' && wanted !== 'both') {
    say('--queue is postgres, redis or both');
    process.exit(2);
  }
  if (redisIsInstalled()) return wanted === 'redis' ? ['redis'] : ['postgres', 'redis'];
  say('NO redis-server here: the queue in Redis is NOT TRIED');
  if (wanted === 'redis') process.exit(2);
  return ['postgres'];
}

function describe({ tally, failures, restMs, ...figures }: ChaosReport): string {
  const done = Object.entries(tally)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, count]) => `${String(count).padStart(6)}  ${name}`);
  return [
    `${figures.kills} kills in ${figures.acts} acts of ${figures.stories} stories, ${figures.rows} rows, ${figures.wallSeconds} s`,
    `from a restart to rest: ${restMs.median} ms (median), ${restMs.longest} ms (longest)`,
    ...done,
    failures.length === 0
      ? 'Nothing twice, nothing lost, nothing readable, nothing stuck.'
      : `${failures.length} stories FAILED: seeds ${failures.map(({ seed }) => seed).join(', ')}`,
  ].join('\n');
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
