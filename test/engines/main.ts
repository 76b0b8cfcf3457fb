/** `npm run engines -- [--short] [test files or folders, such as test/crash]`: see README.md beside this file. */
import { spawnSync } from 'node:child_process';
import { postgresVerdict, startInstalledPostgres } from '../support/installed-postgres.ts';
import { redisVerdict, startTestRedis } from '../support/redis.ts';

const verdicts = [postgresVerdict(), redisVerdict()];
if (!verdicts.every(({ isInstalled }) => isInstalled)) process.exit(1);
const isShort = process.argv.includes('--short');
const wanted = process.argv.slice(2).filter((word) => word !== '--short');
/** Where the engines matter most: every kind of file, a wiped queue, workers that die. */
const SHORT = ['test/pipeline/drop-to-result', 'test/pipeline/wiped-queue', 'test/pipeline/hosts', 'test/crash'];
const files = wanted.length > 0 ? wanted : isShort ? SHORT : ['test/pipeline', 'test/crash'];
/** Slow tests that say nothing about engines: what files hold, where they lie, and which processes live. */
const WITHOUT = [
  'alive',
  'bad-input',
  'destroyed-keys',
  'encrypted-drops',
  'full-disk',
  'large-file',
  'odd-drops',
  'outputs-again',
];
const postgres = await startInstalledPostgres();
const redis = await startTestRedis();
/** `npm test` runs the fourth combination, the database that paydrop brings with the queue inside. */
const COMBINATIONS = [
  // A chaos story covers it too.
  ...(isShort ? [] : [{ name: 'database of paydrop, queue in Redis', env: { TEST_REDIS_URL: redis.url } }]),
  { name: `${postgres.version}, queue inside`, env: { TEST_DATABASE_URL: postgres.url } },
  {
    name: `${postgres.version}, queue in Redis`,
    env: { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url },
  },
];
const failed: string[] = [];
for (const { name, env } of COMBINATIONS) {
  process.stdout.write(`\n== ${name}: ${files.join(' ')}\n`);
  const { status } = spawnSync(
    'npx',
    ['vitest', 'run', ...WITHOUT.map((name) => `--exclude=test/{pipeline,crash}/${name}.*`), ...files],
    {
      stdio: 'inherit',
      env: { ...process.env, ...env },
    },
  );
  if (status !== 0) failed.push(name);
}
await redis.stop();
await postgres.stop();
process.stdout.write(failed.length === 0 ? '\nAll combinations hold.\n' : `\nDo not hold: ${failed.join('; ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
