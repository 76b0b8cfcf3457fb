import { type BankOrder, ClockMove } from '../../../schemas/sandbox/control.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { FaultKind } from '../faults/fault-kind.ts';
import { FAULT_KINDS, isFaultName } from '../faults/fault-kinds.ts';
import type { FaultPlan, Faults } from '../faults/plan-faults.ts';
import { type HttpCall, jsonReply, type Reply } from '../reply.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import type { BankControls } from '../time/step-by-hand.ts';

/** What the control API controls. */
export type Controls = {
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly reset: () => Promise<void>;
  readonly bank: BankControls;
};

/** Returns whether a path belongs to the control API. The books do not: they are read-only and always available. */
export function isControlPath(path: string): boolean {
  return Object.hasOwn(ROUTES, path);
}

/**
 * Answers a control API request in JSON.
 * @param controls undefined when the control API is off
 */
export async function serveControl(call: HttpCall, controls: Controls | undefined): Promise<Reply> {
  if (!controls) return refuse(404, SWITCHED_OFF);
  const fault = findIntruder(call);
  if (fault) return fault;
  const methods = ROUTES[call.path] ?? {};
  const answer = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (!answer) return refuseMethod(call.path, Object.keys(methods).join(', '));
  try {
    return await answer(controls, readJson(call.body));
  } catch (error) {
    // USAGE means that the request cannot be carried out; its message says what to do.
    if (error instanceof PipelineError && error.code === 'USAGE') return refuse(400, error.message);
    throw error;
  }
}

type Route = Readonly<Record<string, (controls: Controls, body: unknown) => Reply | Promise<Reply>>>;

const ROUTES: Readonly<Record<string, Route>> = {
  '/sandbox/clock': { GET: tellTime, POST: moveClock },
  '/sandbox/reset': {
    POST: async (controls) => {
      await controls.reset();
      return tellTime(controls);
    },
  },
  '/sandbox/faults': {
    GET: ({ faults }) => jsonReply(200, { faults: faults.list() }),
    POST: planFault,
    DELETE: async ({ faults }) => {
      await faults.clear();
      return jsonReply(200, { faults: [] });
    },
  },
  '/sandbox/bank/settle': { POST: moveBankPayments('settle') },
  '/sandbox/bank/reject': { POST: moveBankPayments('reject') },
  '/sandbox/bank/return': { POST: moveBankPayments('return') },
};

/** The call checks the body itself. */
function moveBankPayments(action: keyof BankControls): Route[string] {
  return async ({ bank }, body) => jsonReply(200, { transactions: await bank[action](body as BankOrder) });
}

function tellTime({ clock }: Controls): Reply {
  return jsonReply(200, { now: clock.now().toISOString() });
}

function moveClock(controls: Controls, body: unknown): Reply {
  const read = ClockMove.safeParse(body);
  if (!read.success) throw usage('move the clock of the sandbox', read.error.issues[0]?.message);
  if ('set' in read.data) controls.clock.set(read.data.set);
  else controls.clock.advance(read.data.advanceMs);
  return tellTime(controls);
}

/** Plans a fault. `faults.plan` checks the plan itself. */
function planFault({ faults }: Controls, body: unknown): Reply {
  const { kind, times } = (body ?? {}) as Partial<Record<keyof FaultPlan, unknown>>;
  if (times === 'always' && typeof kind === 'string' && isFaultName(kind) && hitsControl(FAULT_KINDS[kind].strikes)) {
    throw usage('plan the fault', `with "always", ${kind} would also block this control API`);
  }
  return jsonReply(201, faults.plan(body as FaultPlan));
}

/** Returns whether the fault also hits this API: connection faults cannot tell who connects. */
function hitsControl(strikes: FaultKind['strikes']): boolean {
  return strikes === 'planned' || strikes === 'accept' || strikes === 'first-byte';
}

const SWITCHED_OFF =
  'The control API is off. Start the sandbox with "paydrop sandbox --control", or with startSandbox({ control: true }).';

/**
 * Refuses requests from web pages. A page can make a browser send requests to this machine, but it cannot suppress the
 * Origin header, nor send JSON without a preflight request.
 */
function findIntruder({ method, headers }: HttpCall): Reply | undefined {
  if (headers.origin !== undefined) return refuse(403, 'The control API accepts no requests from web pages.');
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  if (method === 'POST' && !isJson) return refuse(415, 'Send JSON with "Content-Type: application/json".');
  return undefined;
}

/** Parses a body as JSON; an empty body counts as an empty object. */
function readJson(body: Buffer): unknown {
  const text = body.toString('utf8').trim();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw usage('read the request', 'its body is not JSON');
  }
}

function usage(action: string, reason: string | undefined): PipelineError {
  return new PipelineError('USAGE', action, reason, { next: 'See docs/sandbox.md.' });
}

function refuseMethod(path: string, allow: string): Reply {
  return { ...refuse(405, `${path} takes ${allow} only.`), headers: { Allow: allow } };
}

function refuse(status: number, error: string): Reply {
  return jsonReply(status, { error });
}
