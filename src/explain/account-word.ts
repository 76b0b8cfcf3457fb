import type { Holds } from '../ledger/account/read-holds.ts';

export type AccountWord = 'sends' | 'paused' | 'stopped' | 'in doubt' | 'refused';

/** What an account does now, in a word: of several holds the one that a person meets first. */
export function accountWord({ stops, batches }: Holds): AccountWord {
  const has = (state: string) => batches.some((batch) => batch.state === state);
  if (stops.some((stop) => stop.kind !== 'pause')) return 'stopped';
  if (stops.length > 0) return 'paused';
  if (has('unknown')) return 'in doubt';
  if (has('refused')) return 'refused';
  return 'sends';
}
