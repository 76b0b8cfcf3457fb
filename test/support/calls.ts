import { type Call, callOf, commitSend } from '../../src/ledger/batch/commit-send.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';

/** A minute; longer than any test. */
export const LEASE_MS = 60_000;

export const INTENT = { host: 'service.test', requestBytes: 1_000, leaseMs: LEASE_MS };

/** Returns a call of a batch, of which the ledger knows nothing yet. */
export async function callFor(ledger: Ledger, key: BatchKey): Promise<Call> {
  return callOf(ledger, await readBatchRow(ledger, key))!;
}

/** Declares a call. @returns false when the gate is closed */
export async function declareCall(ledger: Ledger, call: Call, intent: Partial<typeof INTENT> = {}): Promise<boolean> {
  return (await commitSend(ledger, { next: { call, intent: { ...INTENT, ...intent } } })).isDeclared;
}

/** Declares a call of a batch as it is now. @returns undefined when the gate is closed, or there is no such batch */
export async function declareNow(
  ledger: Ledger,
  key: BatchKey,
  intent: Partial<typeof INTENT> = {},
): Promise<Call | undefined> {
  const call = await callFor(ledger, key).catch(() => undefined);
  return call && (await declareCall(ledger, call, intent)) ? call : undefined;
}
