import type { SentOutcome } from '../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import { type Advice, rejectionOf, REJECTIONS } from '../../schemas/rejections.ts';
import type { OutcomeTotals, ReconciledRow, RowResult, SentRow, Totals } from '../rows/rows.ts';
import { keptMessage } from './kept-message.ts';

export type RowOutcome = { outcome: SentOutcome; code: number | null; authorization: string };

type Rule = {
  operations: readonly FolderOperation[];
  says: RegExp;
  read: (match: RegExpExecArray, endsOpen: boolean) => RowOutcome;
};

const ANY = ['card', 'ach-charge', 'ach-refund'] as const;
const ACH = ['ach-charge', 'ach-refund'] as const;

/**
 * Meanings of the messages in a result file. The service documents none of them; public clients show the words.
 * Everything unlisted is `unknown`, never a decline: a row that may have been charged must not look uncharged.
 *
 * `OK` comes alone, with an authorization code, or also with the letter of the address check: `OK`, `OK: 678594`,
 * `OK: 678594:`, `OK: 678594:X`. Only digits were seen in the code. Card networks use six letters and digits, so those
 * are accepted too before a colon (our assumption). Nothing else that begins with `OK` is listed: the service's reports
 * say `OK:Reject` when the bank refused. Of the words only the beginning is certain.
 */
const RULES: readonly Rule[] = [
  { operations: ACH, says: /^Received\b/, read: () => outcome('accepted_pending') },
  {
    operations: ['card'],
    says: /^OK(?:: *(\d{1,10}|(?=[A-Z]*\d)[0-9A-Z]{6}(?=:))(?::[A-Za-z]?)?)?$/,
    read: (match) => outcome('approved', null, match[1]),
  },
  { operations: ANY, says: /^REJECT: *(\d{1,4})$/, read: (match, endsOpen) => readRejection(match[1]!, endsOpen) },
  { operations: ANY, says: /^Wrong Format\b/, read: () => outcome('format_error') },
  { operations: ANY, says: /^Duplicated\b/, read: () => outcome('duplicate') },
];

/**
 * Returns the outcome of one row of a result file.
 * @param message as it came; the service pads it with a leading space and a line feed
 * @param endsOpen whether the file ends in the middle of the line, so the message may be cut
 */
export function readOutcome(operation: FolderOperation, message: string, endsOpen = false): RowOutcome {
  const text = message.trim();
  for (const rule of RULES) {
    const match = rule.operations.includes(operation) ? rule.says.exec(text) : null;
    if (match) return rule.read(match, endsOpen);
  }
  return outcome('unknown');
}

/**
 * Reads a rejection code. Unlisted codes, and those that do not say whether money moved, leave the row in doubt. So
 * does one that may be cut: 70 (money may have moved) would pass for 7 (declined).
 */
function readRejection(digits: string, endsOpen: boolean): RowOutcome {
  const code = Number(digits);
  const { advice } = rejectionOf(code);
  const isUncertain = advice === 'unknown' || (endsOpen && mayBeCut(code, advice));
  return outcome(isUncertain ? 'unknown' : 'declined', code);
}

function mayBeCut(code: number, advice: Advice): boolean {
  return Object.entries(REJECTIONS).some(
    ([other, row]) => other.startsWith(String(code)) && other !== String(code) && row.advice !== advice,
  );
}

function outcome(name: SentOutcome, code: number | null = null, authorization = ''): RowOutcome {
  return { outcome: name, code, authorization };
}

/** Gives each matched row its outcome and adds totals per outcome, for the conservation check (control total H7). */
export function reconcileRows(
  operation: FolderOperation,
  pairs: readonly { sent: SentRow; result: RowResult }[],
): { rows: ReconciledRow[]; totals: OutcomeTotals } {
  const totals: OutcomeTotals = {};
  const rows = pairs.map(({ sent, result }) => {
    const { outcome, code, authorization } = readOutcome(operation, result.message, result.endsOpen);
    totals[outcome] = addTotals(totals[outcome] ?? NOTHING, { rows: 1, cents: sent.amountCents });
    return { line: sent.line, outcome, code, message: keptMessage(result.message), authorization };
  });
  return { rows, totals };
}

/** Returns the sum over all outcomes. Unless it equals what was sent, money was created or lost. */
export function sumTotals(totals: OutcomeTotals): Totals {
  return Object.values(totals).reduce(addTotals, NOTHING);
}

const NOTHING: Totals = { rows: 0, cents: 0 };

function addTotals(left: Totals, right: Totals): Totals {
  return { rows: left.rows + right.rows, cents: left.cents + right.cents };
}
