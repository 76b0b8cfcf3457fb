import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';

/** Money as people read it: 1,234.50. The currency stands behind it where it is known. */
export function Money({ cents, currency }: { cents: number; currency?: string | undefined }) {
  return (
    <span class="money">
      {groupDigits(formatCents(cents))}
      {currency && <small> {currency}</small>}
    </span>
  );
}

/** With a noun it agrees with the count. */
export function Count({ of, noun }: { of: number; noun?: string }) {
  return <>{noun === undefined ? groupDigits(String(of)) : groupedCount(of, noun)}</>;
}

/** `1 row`, `1,200 rows` */
export function groupedCount(count: number, noun: string): string {
  return counted(count, noun).replace(String(count), groupDigits);
}

/** Digits before the point in groups of three. */
export function groupDigits(text: string): string {
  return text.replace(/\d(?=(?:\d{3})+(?:\.|$))(?<!\.\d*)/g, '$&,');
}

/** A moment in the zone of an account; the machine reads it in UTC. */
export function Moment({ at, timeZone = 'UTC' }: { at: Date; timeZone?: string | undefined }) {
  return <time dateTime={at.toISOString()}>{formatInZone(at, timeZone)}</time>;
}

type Tone = 'bad' | 'warn' | 'busy' | 'good' | 'quiet';

/** How a state of a file or batch looks. What is not listed looks quiet. */
const TONES: Readonly<Record<string, Tone>> = {
  unknown: 'bad',
  exception: 'bad',
  refused: 'bad',
  rejected: 'bad',
  held: 'warn',
  claimed: 'busy',
  accepted: 'busy',
  in_progress: 'busy',
  preparing: 'busy',
  sending: 'busy',
  submitted: 'busy',
  result_in: 'busy',
  completed: 'good',
  reconciled: 'good',
  partly_cancelled: 'quiet',
  cancelled: 'quiet',
};

/** The state of a file or batch. Its word says it; the colour only helps. */
export function State({ state }: { state: string }) {
  return <span class={`state ${TONES[state] ?? 'quiet'}`}>{state.replaceAll('_', ' ')}</span>;
}

/** The outcome of a row, as output files name it. */
export function OutcomeWord({ outcome }: { outcome: string }) {
  const { label, means } = OUTCOMES[outcome as Outcome];
  return (
    <span class={`state ${OUTCOME_TONES[outcome as Outcome]}`} title={means}>
      {label}
    </span>
  );
}

const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  approved: 'good',
  accepted_pending: 'busy',
  declined: 'warn',
  duplicate: 'warn',
  format_error: 'warn',
  unknown: 'bad',
  not_charged: 'quiet',
  not_sent: 'quiet',
  invalid: 'warn',
};
