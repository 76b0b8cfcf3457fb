import { scaleLinear } from 'd3-scale';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
import { Count, Money } from './words.tsx';

/** Fill of each outcome. Some share one; the list below the bar tells them apart. */
const LOOKS: Readonly<Record<Outcome, 'approved' | 'pending' | 'declined' | 'unknown' | 'other'>> = {
  approved: 'approved',
  accepted_pending: 'pending',
  declined: 'declined',
  duplicate: 'other',
  format_error: 'other',
  unknown: 'unknown',
  not_charged: 'other',
  not_sent: 'other',
  invalid: 'other',
};

/** The bar stretches to the page width, so this only sets its resolution. */
const WIDTH = 1_000;
const HEIGHT = 16;

/**
 * Shows rows as one bar divided by outcome; below it, each outcome with its rows and money.
 * @param label what the bar shows, for users who cannot see it
 * @param currency of the money, if known
 */
export function OutcomeBar({
  totals,
  label,
  currency,
}: {
  totals: OutcomeTotals;
  label: string;
  currency?: string | undefined;
}) {
  const parts = partsOf(totals);
  const all = parts.reduce((sum, { rows }) => sum + rows, 0);
  if (all === 0) return <p class="empty">No outcomes yet.</p>;
  const said = parts.map(({ word, rows }) => `${word} ${rows}`).join(', ');
  return (
    <div class="outcomes">
      <svg
        class="bar"
        role="img"
        aria-label={`${label}: ${said} rows`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {segmentsOf(parts, all).map(({ part, x, width }) => (
          <rect key={part.outcome} class={`fill ${part.look}`} x={x} width={width} y={0} height={HEIGHT}>
            <title>{`${part.word}, rows: ${part.rows}`}</title>
          </rect>
        ))}
      </svg>
      <ul class="legend">
        {parts.map(({ outcome, word, look, rows, cents }) => (
          <li key={outcome}>
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`fill ${look}`} width={10} height={10} />
            </svg>{' '}
            {word} <Count of={rows} /> <span class="soft">· </span>
            <Money cents={cents} currency={currency} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Part = Totals & { outcome: Outcome; word: string; look: (typeof LOOKS)[Outcome] };

/** Returns the parts in the order of the table, so that two bars can be compared. */
function partsOf(totals: OutcomeTotals): Part[] {
  return (Object.keys(OUTCOMES) as Outcome[]).flatMap((outcome) => {
    const found = totals[outcome];
    if (!found || found.rows === 0) return [];
    return [{ outcome, word: WORDS[outcome], look: LOOKS[outcome], rows: found.rows, cents: found.cents }];
  });
}

const WORDS: Readonly<Record<Outcome, string>> = {
  approved: 'approved',
  accepted_pending: 'pending',
  declined: 'declined',
  duplicate: 'duplicate',
  format_error: 'format error',
  unknown: 'unknown',
  not_charged: 'not charged',
  not_sent: 'not sent',
  invalid: 'invalid',
};

function segmentsOf(parts: readonly Part[], all: number): { part: Part; x: number; width: number }[] {
  const scale = scaleLinear([0, all], [0, WIDTH]);
  let before = 0;
  return parts.map((part) => {
    const x = scale(before);
    before += part.rows;
    return { part, x: round(x), width: round(scale(before) - x) };
  });
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}
