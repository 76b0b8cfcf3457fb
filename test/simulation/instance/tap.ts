import type { Charged } from '../../../src/ledger/merchant/bound-accounts.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { devNull } from 'node:os';
import { type App, gatewaySettings, reportSettings } from '../../../src/app.ts';
import type { SubmitAnswer } from '../../../src/gateway/answers.ts';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';
import { createReportClient, type ReportClient } from '../../../src/gateway/reports/create-report-client.ts';

/** A moment at which an instance touches the world outside its own memory. */
export type MomentKind = 'statement' | 'file' | 'call' | 'job';
type Moment = { readonly kind: MomentKind; readonly what: string };

/**
 * What happens at one such moment:
 * - `die`: the process ends before it, and nothing of it reaches the world
 * - `tear`: same, in the middle of a write, half of which is on disk
 * - `fail`: it is not done and an error is thrown; with `lasting`, the next ones of its kind fail too
 * - `fail-after`: it is done but an error is thrown, as when a connection is lost with the answer
 * - `meanwhile`: something else happens in the world before it is done
 */
export type Trap = { readonly kind: MomentKind; readonly at: number } & (
  | { readonly act: 'die' | 'tear' | 'fail-after' }
  | { readonly act: 'fail'; readonly lasting: boolean }
  | { readonly act: 'meanwhile'; readonly run: () => Promise<void> }
);

/** Thrown where the process is dead. */
const POWER_CUT = 'power cut';

/** An outage ends before code that insists on an answer has tried for an hour. */
const LASTING_MOMENTS = 8;

/** How a touch is carried out: whole, or only the first half of what it writes. */
type Extent = 'whole' | 'half';

export type Tap = {
  isDead(): boolean;
  die(): void;
  /** Sets a trap for the work that follows. */
  arm(trap: Trap): void;
  /** Removes the trap. Returns the moment that sprang it, if any. */
  disarm(): Moment | undefined;
  /**
   * Does `go`, unless the trap or death prevents it.
   * @param failure makes the error to throw instead; it gets the result that is lost, if there is one
   */
  touch<Result>(
    moment: Moment,
    go: (extent: Extent) => Promise<Result>,
    failure: (inVain?: Result) => Promise<Error>,
  ): Promise<Result>;
  /** Same for calls that must be synchronous. They take no part in `meanwhile`. */
  touchAtOnce<Result>(moment: Moment, go: () => Result, failure: () => Error): Result;
};

export function makeTap(): Tap {
  let dead = false;
  let trap: Trap | undefined;
  let seen = 0;
  let sprung: Moment | undefined;

  /** Returns the trap when this is its moment. A lasting trap also springs at later moments. */
  function spring(moment: Moment): Trap | undefined {
    if (trap?.kind !== moment.kind) return undefined;
    seen += 1;
    const isLasting = trap.act === 'fail' && trap.lasting && seen > trap.at && seen <= trap.at + LASTING_MOMENTS;
    if (seen !== trap.at && !isLasting) return undefined;
    sprung ??= moment;
    return trap;
  }

  function die(): never {
    dead = true;
    throw new Error(POWER_CUT);
  }

  return {
    isDead: () => dead,
    die: () => {
      dead = true;
    },
    arm: (next) => {
      trap = next;
      seen = 0;
      sprung = undefined;
    },
    disarm: () => {
      trap = undefined;
      return sprung;
    },
    async touch(moment, go, failure) {
      if (dead) throw new Error(POWER_CUT);
      const caught = spring(moment);
      switch (caught?.act) {
        case undefined:
          return go('whole');
        case 'die':
          return die();
        case 'tear':
          if (moment.kind === 'file') await go('half').catch(() => undefined);
          return die();
        case 'fail':
          throw await failure();
        case 'fail-after':
          throw await failure(await go('whole'));
        case 'meanwhile':
          await caught.run();
          return go('whole');
      }
    },
    touchAtOnce(moment, go, failure) {
      if (dead) throw new Error(POWER_CUT);
      if (trap?.act === 'meanwhile') return go();
      const caught = spring(moment);
      if (caught === undefined) return go();
      if (caught.act === 'fail' || caught.act === 'fail-after') throw failure();
      return die();
    },
  };
}

/**
 * Runs work whose changes to files go through a tap. The asynchronous context tells whose call it is, so the sandbox
 * and other instances beside it are untouched.
 */
export async function withTappedFiles<Result>(tap: Tap, work: () => Promise<Result>): Promise<Result> {
  await (installed ??= install());
  return current.run(tap, work);
}

/** Runs work outside the tap of its caller. */
export function withoutTappedFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  return current.exit(work);
}

const current = new AsyncLocalStorage<Tap>();
let installed: Promise<void> | undefined;

/** Calls that change the disk. A death before a call that only reads equals one before the next change. */
const CHANGING = ['mkdir', 'rename', 'link', 'unlink', 'rmdir', 'rm', 'writeFile'] as const;
const CHANGING_HANDLE = ['sync', 'datasync', 'appendFile', 'writeFile'] as const;

type Call = (...parameters: unknown[]) => Promise<unknown>;

async function install(): Promise<void> {
  const calls = files as unknown as Record<string, Call>;
  for (const name of CHANGING) calls[name] = tapped(name, calls[name]!);
  const open = calls['open']!;
  calls['open'] = (...parameters) => {
    const flags = parameters[1];
    return typeof flags === 'string' && flags !== 'r' ? tapped('open', open)(...parameters) : open(...parameters);
  };
  syncBuiltinESMExports();
  const handle = (await open(devNull)) as FileHandle;
  const methods = Object.getPrototypeOf(handle) as Record<string, Call>;
  await handle.close();
  for (const name of CHANGING_HANDLE) methods[name] = tapped(name, methods[name]!);
}

function tapped(name: string, call: Call): Call {
  return function (this: unknown, ...parameters) {
    const tap = current.getStore();
    // Closes a file that no caller gets.
    const approveOrPropose = async (inVain: unknown) => {
      if (name === 'open') await (inVain as FileHandle | undefined)?.close();
    };
    const go = async (extent: 'whole' | 'half') => {
      if (extent === 'whole') return Reflect.apply(call, this, parameters);
      return approveOrPropose(await Reflect.apply(call, this, firstHalf(parameters)));
    };
    const fail = async (inVain: unknown) => {
      await approveOrPropose(inVain);
      return diskError(name);
    };
    return tap ? tap.touch({ kind: 'file', what: name }, go, fail) : go('whole');
  };
}

/** Returns the parameters with the first half of the text or bytes of a write; other calls stay whole. */
function firstHalf(parameters: unknown[]): unknown[] {
  const [text, ...rest] = parameters;
  if (typeof text === 'string' && rest.length === 0) return [text.slice(0, Math.floor(text.length / 2))];
  if (Buffer.isBuffer(text) && rest.length === 0) return [text.subarray(0, Math.floor(text.length / 2))];
  return parameters;
}

function diskError(name: string): Error {
  const grows = ['mkdir', 'link', 'open', 'writeFile', 'appendFile'].includes(name);
  return Object.assign(new Error('the disk failed in the simulation'), { code: grows ? 'ENOSPC' : 'EIO' });
}

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
  /** Called when the first byte may leave. Returns a check for the moment after that, right before the byte. */
  onDeclared(account: string): Promise<() => Promise<void>>;
  onCall(call: SubmitCall): void;
};

/** Long enough for the sandbox to read and book a call, and short enough to wait for. */
const SHORT_MS = 300;

/** Wraps an account's gateway with moments before, within and after each call, at which the process may die. */
export function tappedGateway(app: App, of: Charged, tap: Tap, watch: CallWatch): Gateway {
  const { account } = of;
  const gateway = () => (watch.isEndless() ? impatient(app, account) : app.gateway(of));
  const touch = <Result>(what: string, go: () => Promise<Result>) =>
    tap.touch({ kind: 'call', what }, go, async () => new Error('the network failed in the simulation'));

  return {
    ...app.gateway(of),
    submitBatch: async (call) => {
      const seen: SubmitCall = { account, declared: false, posts: 0, answer: undefined };
      const before = watch.countPosts();
      const beforeFirstByte: typeof call.beforeFirstByte = async (about) => {
        await touch('before the intent', nothing);
        seen.declared = await call.beforeFirstByte(about);
        const checkAgain = seen.declared ? await watch.onDeclared(account) : nothing;
        await touch('after the intent', nothing);
        await checkAgain();
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
export function tappedReports(app: App, of: Charged, watch: CallWatch): ReportClient {
  if (!watch.isEndless()) return app.reports(of);
  return createReportClient({ ...reportSettings(app.account(of.account)), timeouts: { answerMs: SHORT_MS } });
}
