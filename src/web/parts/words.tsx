import { OUTCOMES, type Outcome, saidState } from '../../../schemas/lifecycle.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import {
  isNear,
  ListContext,
  nameZone,
  PageTimeContext,
  sayDistance,
  sayFully,
  sayInZones,
  sayShortly,
} from './when.ts';

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

/**
 * Shows a moment in the zone of the person who looks: shortly in a list, otherwise in full. The exact moment in every
 * zone that matters is told on hover; the `dateTime` attribute is UTC.
 * @param timeZone of the account that it belongs to
 * @param isExact in full, in a list too
 * @param isWindow an hour that the account keeps, so its zone is told as well when it is another
 */
export function Moment({
  at,
  timeZone = 'UTC',
  isExact = false,
  isWindow = false,
}: {
  at: Date;
  timeZone?: string | undefined;
  isExact?: boolean;
  isWindow?: boolean;
}) {
  const page = useContext(PageTimeContext);
  const isShort = useContext(ListContext) && !isExact;
  if (page === undefined) return <time dateTime={at.toISOString()}>{formatInZone(at, timeZone)}</time>;
  const isElsewhere = isWindow && timeZone !== page.timeZone;
  const here = isShort ? sayShortly(at, page) : sayFully(at, page.timeZone);
  return (
    <time dateTime={at.toISOString()} title={sayInZones(at, [page.timeZone, timeZone])}>
      {isElsewhere ? `${sayShortly(at, { ...page, timeZone })} ${nameZone(timeZone)}, ${here} yours` : here}
      {isShort && isNear(at, page.now) && <span data-distance=""> · {sayDistance(at, page.now)}</span>}
    </time>
  );
}

const WRITTEN_MOMENT = /(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d)/;

/** Shows a sentence that commands share, with the moments in it as everywhere on the page. */
function Said({ text }: { text: string }) {
  if (useContext(PageTimeContext) === undefined) return <>{text}</>;
  const parts = text.split(WRITTEN_MOMENT);
  return (
    <>{parts.map((part, index) => (index % 2 === 0 ? part : <Moment key={index} at={new Date(part)} isExact />))}</>
  );
}

/** Shows any content as `Said` does when it is a mere sentence. */
export function said(content: ComponentChildren): ComponentChildren {
  return typeof content === 'string' ? <Said text={content} /> : content;
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
