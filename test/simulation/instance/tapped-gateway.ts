import { type App, gatewaySettings, reportSettings } from '../../../src/app.ts';
import type { SubmitAnswer } from '../../../src/gateway/answers.ts';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';
import { createReportClient, type ReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import type { Tap } from './tap.ts';

/** What an observer outside the pipeline saw of one call that submits a batch. */
export type SubmitCall = {
  readonly account: string;
  /** The caller reported that its intent is on disk. */
  declared: boolean;
  /** Requests that reached the service during the call. */
  posts: number;
  /** Undefined when the process died before the answer. */
  answer: SubmitAnswer['kind'] | undefined;
};

export type CallWatch = {
  countPosts(): number;
  /** Whether a planned fault delays the answer longer than any client waits. */
  isEndless(): boolean;
  /** Called right before the first byte may leave. */
  onDeclared(account: string): Promise<void>;
  onCall(call: SubmitCall): void;
};

/** Long enough for the sandbox to read and book a call, and short enough to wait for. */
const SHORT_MS = 300;

/** Wraps an account's gateway with moments before, within and after each call, at which the process may die. */
export function tappedGateway(app: App, account: string, tap: Tap, watch: CallWatch): Gateway {
  const gateway = () => (watch.isEndless() ? impatient(app, account) : app.gateway(account));
  const touch = <Result>(what: string, go: () => Promise<Result>) =>
    tap.touch({ kind: 'call', what }, go, async () => new Error('the network failed in the simulation'));

  return {
    ...app.gateway(account),
    submitBatch: async (call) => {
      const seen: SubmitCall = { account, declared: false, posts: 0, answer: undefined };
      const before = watch.countPosts();
      const beforeFirstByte: typeof call.beforeFirstByte = async (about) => {
        await touch('before the intent', nothing);
        seen.declared = await call.beforeFirstByte(about);
        await touch('after the intent', nothing);
        if (seen.declared) await watch.onDeclared(account);
        return seen.declared;
      };
      try {
        await touch('before the call', nothing);
        const answer = await gateway().submitBatch({ ...call, beforeFirstByte });
        seen.answer = answer.kind;
        await touch('after the answer', nothing);
        return answer;
      } finally {
        seen.posts = watch.countPosts() - before;
        watch.onCall(seen);
      }
    },
    fetchBatchResult: async (call) => {
      await touch('before the call', nothing);
      const answer = await gateway().fetchBatchResult(call);
      await touch('after the answer', nothing);
      return answer;
    },
  };
}

async function nothing(): Promise<void> {}

function impatient(app: App, account: string): Gateway {
  return createGateway({ ...gatewaySettings(app.account(account)), answerTimeoutMs: SHORT_MS });
}

/** Wraps an account's report client, which does not wait long for an endless answer either. */
export function tappedReports(app: App, account: string, watch: CallWatch): ReportClient {
  if (!watch.isEndless()) return app.reports(account);
  return createReportClient({ ...reportSettings(app.account(account)), timeouts: { answerMs: SHORT_MS } });
}
