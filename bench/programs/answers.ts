import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { App } from '../../src/app.ts';
import { printSample } from '../measure/report-sample.ts';
import { median, percentile } from '../measure/statistics.ts';
import { openBenchApp, takeInFile } from '../world/take-in-file.ts';
import { sendBatches } from '../world/send-batches.ts';

/**
 * `answers --root DIR --connect MS FILE`: sends the batches of one account, whose connections take so long and whose calls
 * take 20 ms. Times each answer until the commit has returned that records it. The service is made up, because a local one
 * cannot be slow to connect; ledger and send journal are real.
 */
const { values, positionals } = parseArgs({
  options: { root: { type: 'string', default: '' }, connect: { type: 'string', default: '300' } },
  allowPositionals: true,
});
const CALL_MS = 20;
const TAKEN = 'Batch Processing, Please Wait ....';
const app = await openBenchApp(values.root);
await takeInFile(app, positionals[0]!);
let answeredAt: number | undefined;
let calls = 0;
const waits: number[] = [];

const slow: App = {
  ...app,
  ledger: { ...app.ledger, answers: watched(app.ledger.answers) },
  gateway: () => ({
    submitBatch: async ({ beforeFirstByte }) => {
      await sleep(Number(values.connect));
      if (!(await beforeFirstByte({ url: 'http://service.test/', requestBytes: 1_000 }))) return { kind: 'withheld' };
      await sleep(CALL_MS);
      calls += 1;
      answeredAt = performance.now();
      return { kind: 'submitted', batchId: String(5_000_000 + calls), text: TAKEN, serviceAt: app.clock.now() };
    },
    fetchBatchResult: async () => ({ kind: 'not_known', text: 'Invalid Batch ID' }),
    askTime: async () => undefined,
  }),
};

const started = performance.now();
await sendBatches(slow);
if (waits.length !== calls || calls === 0) throw new Error(`${waits.length} of ${calls} answers were recorded`);
printSample({
  seconds: (performance.now() - started) / 1_000,
  figures: {
    calls,
    medianMs: median(waits),
    p99Ms: percentile(waits, 0.99),
    p999Ms: percentile(waits, 0.999),
    longestMs: Math.max(...waits),
  },
});
await app.close();

/** Notes when a commit returns that records an answer: the first after it, because its account has one call at a time. */
function watched(pool: App['ledger']['answers']): App['ledger']['answers'] {
  const watchClient = (client: PoolClient) => {
    const query = async (...call: unknown[]) => {
      const asked = answeredAt;
      const made: unknown = await Reflect.apply(client.query as (...given: unknown[]) => unknown, client, call);
      if (asked !== undefined && String(call[0]).includes('commit_send')) {
        waits.push(performance.now() - asked);
        answeredAt = undefined;
      }
      return made;
    };
    return withMember(client, 'query', query);
  };
  return withMember(pool, 'connect', async () => watchClient(await pool.connect()));
}

/** Returns the same object with another member. */
function withMember<Target extends object>(target: Target, name: keyof Target, other: unknown): Target {
  return new Proxy(target, {
    get: (_, asked) => {
      if (asked === name) return other;
      const member: unknown = Reflect.get(target, asked);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
