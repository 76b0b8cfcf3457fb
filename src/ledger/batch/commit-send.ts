import { randomUUID } from 'node:crypto';
import { BATCH_MOVES, type BatchMove, type BatchState } from '../../../schemas/lifecycle.ts';
import type { Sender } from '../admission/admit.ts';
import { keyOf } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { storableJson } from '../engine/storable-text.ts';
import { type AuditEntry, callFunction, violates } from '../engine/transaction.ts';
import { boundKeys } from '../merchant/bound-accounts.ts';

/**
 * A call of a batch: the batch as it was read, its id (`token`), which no other call of any ledger has, and for which
 * opening of the ledger it is made.
 */
export type Call = BatchRow & { readonly token: string; readonly sender: Sender };

/** @returns undefined while this host is not admitted */
export function callOf(ledger: Ledger, batch: BatchRow): Call | undefined {
  const { sender } = ledger.admitted;
  return sender && { ...batch, token: randomUUID(), sender };
}

/** Where a request goes and how large it is, and how long after its declaration it may begin, in ms. */
export type Intent = { readonly host: string; readonly requestBytes: number; readonly leaseMs: number };

/** How a call ended, and the evidence. `serviceAt` is the time by the service's clock. */
export type CallEnd = { readonly serviceAt?: Date | undefined } & (
  | {
      readonly verdict: 'submitted';
      readonly batchId: string;
      /** How long to wait before its result is asked for, in ms. */
      readonly firstPollMs: number;
      readonly evidence: Readonly<Record<string, unknown>>;
    }
  | {
      readonly verdict: 'refused' | 'unknown';
      readonly reason: string;
      readonly evidence: Readonly<Record<string, unknown>>;
    }
  | {
      readonly verdict: 'not_sent';
      readonly reason: string;
      readonly evidence: Readonly<Record<string, unknown>>;
      /** Set when it was no try of its own: a batch whose call was never declared does not wait longer for it. */
      readonly isNoTry?: true;
    }
);

/**
 * What became of the end of a call:
 * - `moved`: it is written
 * - `doubted`: its batch id proved nothing, so it is written as in doubt
 * - `recorded`: an earlier try has written it
 * - `put off`: the call was never declared, and its batch waits longer than before
 * - `late`: another verdict was written meanwhile, such as that of the sweep after a lost connection. That one stands. The
 *   answer is kept beside it, because a person who resolves the doubt needs its batch id
 * - `nothing`: the call was never declared, and its batch has changed meanwhile
 */
export type Ended = 'moved' | 'doubted' | 'recorded' | 'put off' | 'late' | 'nothing';

/**
 * Ends a call and declares the next one of its account, or does one of both, in one commit: `commit_send`. Once it says
 * `isDeclared`, request bytes may leave as soon as the send journal has the call, too. Whatever closes the gate, by the
 * time of this commit, keeps the next call back; see `begin_call` in schemas/ledger/send.sql.
 * @throws PipelineError LEDGER_UNREACHABLE, and what the database refuses; then nothing of both was written. When the
 *   connection is lost, it may have been
 */
export async function commitSend(
  ledger: Ledger,
  { end, next }: { end?: { call: Call; end: CallEnd } | undefined; next?: { call: Call; intent: Intent } | undefined },
): Promise<{ ended: Ended; isDeclared: boolean }> {
  const at = ledger.clock.now();
  const links = { ...(end && linksOfEnd(end.call, end.end)), ...(next && linksOfNext(next.call, next.intent)) };
  const moves = [links.end, links.send].filter((link) => link !== undefined);
  const { rows } = await callFunction<{ made: Made[] }>(
    ledger.answers,
    `SELECT commit_send($1, ${ledger.databaseNow()}, $2, $3, $4) AS made`,
    [
      at,
      end ? storableJson(listedEnd(end.call, end.end, at)) : null,
      next ? storableJson(listedNext(ledger, next.call, next.intent)) : null,
      storableJson(links),
    ],
    moves,
  ).catch((error: unknown) => {
    // Two workers were at the gate at the same moment, and neither saw the other's call. One is let through.
    if (!end && violates(error, 'one_call_in_flight')) return { rows: [{ made: [] as Made[] }] };
    throw error;
  });
  const { made } = rows[0]!;
  for (const name of made) {
    const link = links[name as keyof typeof links];
    const { account } = (name === 'end' ? end : next)?.call ?? {};
    if (!link?.to || account === undefined) continue;
    const metric = name === 'begin' ? 'paydrop_file_moves_total' : 'paydrop_batch_moves_total';
    ledger.tally.add(metric, { account, state: link.to });
  }
  return { ended: endedOf(made), isDeclared: made.includes('send') };
}

/**
 * Records how a call ended. A batch id that the account has had before proves nothing, so that call ends in doubt.
 * @throws as `commitSend`
 */
export async function endCall(ledger: Ledger, call: Call, end: CallEnd): Promise<Ended> {
  try {
    return (await commitSend(ledger, { end: { call, end } })).ended;
  } catch (error) {
    if (!violates(error, 'one_batch_per_batch_id') || end.verdict !== 'submitted') throw error;
    const reason = `the service answered with batch id ${end.batchId}, which this account already has`;
    const { evidence, serviceAt } = end;
    const doubt: CallEnd = { verdict: 'unknown', reason, evidence, serviceAt };
    const { ended } = await commitSend(ledger, { end: { call, end: doubt } });
    return ended === 'moved' ? 'doubted' : ended;
  }
}

type Made = 'end' | 'recorded' | 'put-off' | 'late' | 'send' | 'begin';

function endedOf(made: readonly Made[]): Ended {
  if (made.includes('end')) return 'moved';
  if (made.includes('recorded')) return 'recorded';
  if (made.includes('put-off')) return 'put off';
  return made.includes('late') ? 'late' : 'nothing';
}

/** The move that each verdict makes. */
const MOVE_OF_VERDICT = {
  submitted: 'submit',
  refused: 'refuse',
  unknown: 'doubt',
  not_sent: 'unsent',
} as const satisfies Record<CallEnd['verdict'], BatchMove>;

function moveOfVerdict({ verdict }: CallEnd) {
  return BATCH_MOVES.find(({ name }) => name === MOVE_OF_VERDICT[verdict])!;
}

/** Returns the state into which an end moves the batch. */
export function stateAfter(end: CallEnd): BatchState {
  return moveOfVerdict(end).to;
}

function reasonOf(end: CallEnd): string {
  return end.verdict === 'submitted' ? `the service gave it batch id ${end.batchId}` : end.reason;
}

const ACTOR = 'worker:submit';

function linksOfEnd(call: Call, end: CallEnd): { end: AuditEntry; late: AuditEntry; 'put-off': AuditEntry } {
  const { name: move, from, to } = moveOfVerdict(end);
  const link = { actor: ACTOR, ...keyOf(call), reason: reasonOf(end), evidence: end.evidence };
  // The operator needs the batch id to resolve the doubt.
  const seen = end.verdict === 'submitted' ? { batchId: end.batchId } : {};
  return {
    end: { ...link, move, from, to },
    late: { ...link, move: 'late-answer', evidence: { ...end.evidence, ...seen } },
    'put-off': { ...link, move: 'put-off' },
  };
}

function linksOfNext(call: Call, { host, requestBytes }: Intent): { send: AuditEntry; begin: AuditEntry } {
  const sent = { host, requestBytes, sha256: call.body_sha256 };
  return {
    send: {
      actor: ACTOR,
      ...keyOf(call),
      move: 'send',
      from: 'ready',
      to: 'sending',
      reason: beginsOf(call),
      evidence: sent,
    },
    begin: {
      actor: ACTOR,
      fileId: call.file_id,
      move: 'begin',
      from: 'accepted',
      to: 'in_progress',
      reason: 'the first batch is being sent',
      evidence: {},
    },
  };
}

function beginsOf({ attempt }: Call): string {
  return `attempt ${attempt} begins`;
}

/** Returns what `end_call` takes. */
function listedEnd(call: Call, end: CallEnd, at: Date): Record<string, unknown> {
  const { verdict, evidence, serviceAt = null } = end;
  return {
    ...keyOf(call),
    call: call.token,
    attempt: call.attempt,
    releases: call.releases,
    verdict,
    state: stateAfter(end),
    reason: reasonOf(end),
    evidence,
    serviceAt,
    ...(end.verdict === 'submitted' && {
      batchId: end.batchId,
      nextPollAt: new Date(at.getTime() + end.firstPollMs),
    }),
    ...(end.verdict === 'not_sent' && {
      notBefore: new Date(at.getTime() + releaseDelayMs(call.releases)),
      isTry: !end.isNoTry,
    }),
  };
}

/** Returns what `begin_call` takes. */
function listedNext(ledger: Ledger, call: Call, { host, requestBytes, leaseMs }: Intent): Record<string, unknown> {
  return {
    ...keyOf(call),
    attempt: call.attempt,
    sha256: call.body_sha256,
    call: call.token,
    worker: ledger.instance.id,
    leaseMs,
    ...call.sender,
    bound: boundKeys(ledger),
    host,
    requestBytes,
    longestWaitMs: LONGEST_RELEASE_MS,
    reason: beginsOf(call),
  };
}

/** Longest wait between tries that never reached the service, in ms. */
export const LONGEST_RELEASE_MS = 300_000;

/** Returns the wait between tries that never reached the service: 1 s, doubling, at most 5 minutes. */
export function releaseDelayMs(releases: number): number {
  return Math.min(1_000 * 2 ** Math.min(releases, 10), LONGEST_RELEASE_MS);
}
