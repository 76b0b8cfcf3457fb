import type { Holds } from '../ledger/account/read-holds.ts';

export type AccountWord = 'sends' | 'paused' | 'stopped' | 'in doubt' | 'refused';

/** Returns the state of an account in a word. Of several holds it names the one a person meets first. */
export function accountWord({ stops, batches }: Holds): AccountWord {
  const has = (state: string) => batches.some((batch) => batch.state === state);
  if (stops.some((stop) => stop.kind !== 'pause')) return 'stopped';
  if (stops.length > 0) return 'paused';
  if (has('unknown')) return 'in doubt';
  if (has('refused')) return 'refused';
  return 'sends';
}
