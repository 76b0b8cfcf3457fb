import { OUTCOMES } from '../../schemas/lifecycle.ts';
import { byNumber, counted } from '../kernel/counted.ts';
import type { ShownRow, UnprovenRows } from './resolve/ask-report-again.ts';
import type { KeptBack } from './resubmit.ts';
import { ended } from '../explain/why/sentence.ts';

/**
 * Says which rows the service's newest report keeps back, why, and what to do about them; empty when there are none.
 */
export function sayKeptBack({ shown, unproven }: KeptBack): string[] {
  return [
    ...shown.slice(0, SHOWN).map(sayShown),
    ...(shown.length > SHOWN
      ? [
          `${counted(shown.length - SHOWN, 'more row')} ${byNumber(shown.length - SHOWN, 'stays', 'stay')} for the same reason.`,
        ]
      : []),
    ...(shown.length > 0
      ? [
          'Ask the service for the outcome of these payments. Do not drop them again until it says that it did not charge them.',
        ]
      : []),
    ...unproven.map((rows) => `${sayUnproven(rows)}.`),
    ...(unproven.length > 0 ? [UNPROVEN_NEXT] : []),
  ];
}

/** What to do about rows about which the newest report proves nothing. */
export const UNPROVEN_NEXT =
  'Resubmit them once the service answers and a later payment of the account is approved, or ask the service about them.';

/** As many as an operator reads. */
const SHOWN = 20;

function sayShown({ row }: ShownRow): string {
  const now = OUTCOMES[row.outcome].label;
  return `Line ${row.line} is not sent again: the newest report of the service lists its invoice, which earlier reports did not. Its outcome is corrected from NOT_CHARGED to ${now}: ${ended(row.message)}`;
}

/** Returns a clause without a full stop, for use in an error or a sentence. */
export function sayUnproven({ batchNo, lines, why }: UnprovenRows): string {
  const more = lines.length > SHOWN ? ` and ${lines.length - SHOWN} more` : '';
  const which = `${byNumber(lines.length, 'line', 'lines')} ${lines.slice(0, SHOWN).join(', ')}${more}`;
  return `${counted(lines.length, 'row')} of batch ${batchNo} (${which}) cannot be sent again now, because ${why.replace(/[.\s]+$/, '')}`;
}

/** Returns the same as JSON. */
export function keptBackJson({ shown, unproven }: KeptBack): Record<string, unknown> {
  return {
    shown: shown.map(({ row: { line, outcome, message } }) => ({ line, outcome, why: message })),
    unproven,
  };
}
