import type { App } from '../../../src/app.ts';
import type { ResultAnswer, SubmitAnswer } from '../../../src/gateway/answers.ts';
import type { Gateway } from '../../../src/gateway/create-gateway.ts';

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
