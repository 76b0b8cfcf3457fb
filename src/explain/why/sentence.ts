import { type Outcome } from '../../../schemas/lifecycle.ts';
import { saidOutcome } from '../../../schemas/shown.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';

/** Something that happened, or that holds now; `at` is null when it is not about a moment. */
export type Sentence = { at: Date | null; text: string };

/** Returns the name of the person who acted; workers count as paydrop. */
export function whoDid(actor: string): string {
  return actor.startsWith('operator:') ? actor.slice('operator:'.length) : 'paydrop';
}

export function sumOf(rows: number, cents: number): string {
  return `${counted(rows, 'row')} with a total of ${formatCents(cents)}`;
}

/** Formats as `5 rows APPROVED (charged or refunded), 125.00; 1 row UNKNOWN (…), 25.00`. */
export function outcomesOf(counts: readonly { outcome: string; rows: number; cents: number }[]): string {
  return counts
    .map(
      ({ outcome, rows, cents }) => `${counted(rows, 'row')} ${saidOutcome(outcome as Outcome)}, ${formatCents(cents)}`,
    )
    .join('; ');
}

/** Ends the text with exactly one full stop. */
export function ended(text: string): string {
  const trimmed = text.trim().replace(/[.\s]+$/, '');
  return `${trimmed}.`;
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
