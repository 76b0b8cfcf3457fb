import { OUTCOMES, type Outcome, saidState } from '../../../schemas/lifecycle.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';

/** Shows money as 1,234.50, followed by the currency if known. */
export function Money({ cents, currency }: { cents: number; currency?: string | undefined }) {
  return (
    <span class="money">
      {groupDigits(formatCents(cents))}
      {currency && <small> {currency}</small>}
    </span>
  );
}

/** Shows a count; a noun agrees with it. */
export function Count({ of, noun }: { of: number; noun?: string }) {
  return <>{noun === undefined ? groupDigits(String(of)) : groupedCount(of, noun)}</>;
}

/** Shows a moment in an account's zone; the `dateTime` attribute is UTC. */
export function Moment({ at, timeZone = 'UTC' }: { at: Date; timeZone?: string | undefined }) {
  return <time dateTime={at.toISOString()}>{formatInZone(at, timeZone)}</time>;
}

type Tone = 'bad' | 'warn' | 'busy' | 'good' | 'quiet';

/** The states of files, batches and profiles by their look; others look quiet. */
const TONES: readonly (readonly [Tone, readonly string[]])[] = [
  ['bad', ['unknown', 'exception', 'refused', 'rejected']],
  ['warn', ['held']],
  ['busy', ['claimed', 'accepted', 'in_progress', 'preparing', 'sending', 'submitted', 'result_in']],
  ['good', ['completed', 'reconciled', 'confirmed']],
];

/** Shows the state of a file, batch or version. The word is enough; the color only helps. */
export function State({ state }: { state: string }) {
  const [tone] = TONES.find(([, states]) => states.includes(state)) ?? ['quiet'];
  return <span class={`state ${tone}`}>{saidState(state)}</span>;
}

/** Shows the outcome of a row, named as in output files. */
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

/** Shows rows and their money in a sentence: `1,200 rows, 30,000.00 USD`. */
export function Sum({
  of: { rows, cents },
  currency,
}: {
  of: { readonly rows: number; readonly cents: number };
  currency: string | undefined;
}) {
  return (
    <>
      <Count of={rows} noun="row" />, <Money cents={cents} currency={currency} />
    </>
  );
}
