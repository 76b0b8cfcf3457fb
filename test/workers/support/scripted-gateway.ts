import type { App } from '../../../src/app.ts';
import type { ResultAnswer, SubmitAnswer } from '../../../src/gateway/answers.ts';
import type { Gateway } from '../../../src/gateway/create-gateway.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { DONE, WAIT } from '../../gateway/support/soap-answers.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openStepWorld, type StepWorld } from './step-world.ts';
import { query, takeInCharges } from './story.ts';
import { submitBatch } from '../../support/work-alone.ts';

type SubmitCall = Parameters<Gateway['submitBatch']>[0];

/** Returns the app with another gateway. Calls that the script leaves out fail the test. */
export function withGateway(app: App, gateway: Partial<Gateway>): App {
  const uncalled = () => Promise.reject(new Error('this call was not expected'));
  return {
    ...app,
    gateway: () => ({ submitBatch: uncalled, fetchBatchResult: uncalled, askTime: uncalled, ...gateway }),
  };
}

/** What happens before the gateway asks for permission and after the answer, and its other calls. */
type Meanwhile = Partial<Omit<Gateway, 'submitBatch'>> & {
  before?: () => Promise<unknown>;
  after?: () => Promise<unknown>;
};

/**
 * Returns an app whose gateway asks for permission like the real one, then gives this answer. `bodies` collects what
 * would be sent.
 */
export function answering(
  app: App,
  answer: SubmitAnswer | Error,
  { before, after, ...others }: Meanwhile = {},
): { app: App; bodies: string[] } {
  const bodies: string[] = [];
  const submitBatch = async (call: SubmitCall) => {
    await before?.();
    if (!(await call.beforeFirstByte({ url: 'https://service.example/', requestBytes: 1_000 })))
      return { kind: 'withheld' } as const;
    bodies.push(Buffer.from(call.body).toString());
    if (answer instanceof Error) throw answer;
    await after?.();
    return answer;
  };
  return { app: withGateway(app, { submitBatch, ...others }), bodies };
}

export const EVIDENCE = { httpStatus: 502, bytesWritten: 900, bytesRead: 20, answerText: 'Bad Gateway' };
export const UNKNOWN: SubmitAnswer = { kind: 'unknown', why: 'the service answered HTTP 502', evidence: EVIDENCE };
export const REFUSED: SubmitAnswer = { kind: 'refused', text: 'REJECT: 1', code: 1 };

export function taken(batchId: string): SubmitAnswer {
  return { kind: 'submitted', batchId, text: 'Batch Processing, Please Wait ....' };
}

/** Returns an app whose gateway answers without asking: it never reached the first byte. */
export function answeringUnasked(app: App, answer: SubmitAnswer | Error): App {
  return withGateway(app, {
    submitBatch: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
  });
}

export function answeringResult(app: App, answer: ResultAnswer | Error): App {
  return withGateway(app, {
    fetchBatchResult: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
  });
}

export type PollWorld = StepWorld & {
  /** Makes a batch of three rows that the service has taken and whose first poll is due. */
  submitted(plan?: { rows?: number; account?: string; from?: number }): Promise<Submitted>;
  makeDue(key: BatchKey): Promise<void>;
  /** Returns the outcome of each line. */
  outcomesOf(fileId: string): Promise<Record<number, string>>;
};

type Submitted = { account: string; key: BatchKey; batchId: string };

/** Opens, for the tests of a file, a step world with batches of three rows that can be polled. */
export function pollWorld(): PollWorld {
  return openedForTests(openPollWorld);
}

async function openPollWorld(): Promise<PollWorld> {
  const world = await openStepWorld({ accounts: 64, settings: { batch: { maxRows: 3 } } });
  const makeDue = async (key: BatchKey) => {
    await query(world.app, `UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [key.fileId]);
  };
  let batchIds = 100;
  return {
    ...world,
    makeDue,
    submitted: async ({ rows = 3, account = world.freshAccount(), from = 1 } = {}) => {
      const key = { fileId: await takeInCharges(world.app, account, rows, from), batchNo: 1 };
      const batchId = String((batchIds += 1));
      await submitBatch(answering(world.app, { kind: 'submitted', batchId, text: WAIT }).app, key);
      await makeDue(key);
      return { account, key, batchId };
    },
    outcomesOf: async (fileId) => {
      const rows = await query<{ line: number; outcome: string }>(
        world.app,
        'SELECT line, outcome FROM row_outcome JOIN file USING (file_no) WHERE file_id = $1 ORDER BY line',
        [fileId],
      );
      return Object.fromEntries(rows.map((row) => [row.line, row.outcome]));
    },
  };
}

/** Rows as `takeInCharges` makes them, with the number masked as by the service. */
export const ROWS = [1, 2, 3].map((n) => `A-${n},Ada,Byron,CHECKING,0*********************000${n},25.00,June dues`);

export function result(rows: readonly string[]): ResultAnswer {
  return { kind: 'done', file: Buffer.from(`${rows.join('\r\n')}\r\n`), text: DONE };
}

export const GOOD = result(ROWS.map((row) => `${row},Received`));
