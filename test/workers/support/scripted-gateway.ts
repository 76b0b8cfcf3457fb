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

/**
 * Returns an app whose gateway asks for permission like the real one, then gives this answer. `bodies` collects what
 * would be sent.
 */
export function answering(app: App, answer: SubmitAnswer | Error): { app: App; bodies: string[] } {
  const bodies: string[] = [];
  const submitBatch = async (call: SubmitCall) => {
    if (!(await call.beforeFirstByte({ url: 'https://service.example/', requestBytes: 1_000 })))
      return { kind: 'withheld' } as const;
    bodies.push(Buffer.from(call.body).toString());
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { app: withGateway(app, { submitBatch }), bodies };
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
