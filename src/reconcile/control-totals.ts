import { formatCents } from '../kernel/money.ts';
import type { ControlNote, OutcomeTotals, Totals } from '../kernel/rows.ts';
import { sumTotals } from './reconcile-rows.ts';

/** One equation of the chain of control totals (lifecycle "Control totals"), as it stands for a file. */
export type ControlTotal = { id: string; holds: boolean; says: string };

/** Everything the equations compare. Money is integer cents. */
export type Figures = {
  control: ControlNote | null;
  /** A person let the file pass after it was held. */
  approved: boolean;
  sha256: string;
  physicalLines: number;
  blankLines: number;
  headerLines: number;
  records: number;
  valid: Totals;
  invalidRows: number;
  batches: readonly Totals[];
  /** Outcomes by the ledger, withheld and unsent rows included. */
  outcomes: OutcomeTotals;
  /** Outcomes by the result file, read back from the disk. */
  delivered: OutcomeTotals;
};

/**
 * Checks H0 to H8 for a finished file. H1, H5 and H6 were conditions of moves that it has made (a difference stops the
 * file there), so here they are said, not computed again.
 */
export function checkControlTotals(figures: Figures): ControlTotal[] {
  const { records, valid, invalidRows, outcomes } = figures;
  const nonBlank = figures.physicalLines - figures.blankLines;
  const batched = figures.batches.reduce(
    (sum, batch) => ({ rows: sum.rows + batch.rows, cents: sum.cents + batch.cents }),
    {
      rows: 0,
      cents: 0,
    },
  );
  const all = sumTotals(outcomes);
  const sent = sumTotals(withoutUnsent(outcomes));
  const unsent = outcomes.not_sent ?? { rows: 0, cents: 0 };
  return [
    total('H0', holdsControl(figures), describeControl(figures)),
    total('H1', true, 'the bytes read are the bytes claimed'),
    total(
      'H2',
      nonBlank === figures.headerLines + records,
      `${nonBlank} lines = ${figures.headerLines} header + ${records} rows`,
    ),
    total(
      'H3',
      records === valid.rows + invalidRows,
      `${records} rows = ${valid.rows} valid + ${invalidRows} withheld`,
    ),
    total('H4', same(valid, batched), `valid ${say(valid)} = batches ${say(batched)}`),
    total('H5', true, 'the bytes of every batch, read again, were its rows'),
    total('H6', true, 'every result row is a sent row'),
    total(
      'H7',
      sent.rows + unsent.rows === batched.rows && sent.cents + unsent.cents === batched.cents && all.rows === records,
      `outcomes ${say(sent)} + not sent ${say(unsent)} = batches ${say(batched)}`,
    ),
    total('H8', sameOutcomes(outcomes, figures.delivered), 'the result file, read back, says what the ledger says'),
  ];
}

function total(id: string, holds: boolean, says: string): ControlTotal {
  return { id, holds, says };
}

/** Differences hold the file at its intake, so only a person can have let them pass. */
function holdsControl({ control, approved, records, sha256 }: Figures): boolean {
  if (!control || approved || 'fault' in control) return true;
  return (
    (control.rows === undefined || control.rows === records) &&
    (control.sha256 === undefined || control.sha256 === sha256)
  );
}

function describeControl({ control, approved }: Figures): string {
  if (!control) return 'no control file; completeness was inferred';
  if (approved || 'fault' in control) return 'the file was held; a person approved it';
  const parts = [
    control.rows === undefined ? '' : `${control.rows} rows`,
    control.totalCents === undefined ? '' : `total ${formatCents(control.totalCents)}`,
    control.sha256 === undefined ? '' : 'sha256',
  ];
  return `the control file agrees: ${parts.filter(Boolean).join(', ')}`;
}

function withoutUnsent({ invalid: _invalid, not_sent: _unsent, ...sent }: OutcomeTotals): OutcomeTotals {
  return sent;
}

function same(left: Totals, right: Totals): boolean {
  return left.rows === right.rows && left.cents === right.cents;
}

/** Withheld rows may have no readable amount, so of them only the number is compared. */
function sameOutcomes(left: OutcomeTotals, right: OutcomeTotals): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]) as Set<keyof OutcomeTotals>;
  return [...names].every((name) => {
    const one = left[name] ?? { rows: 0, cents: 0 };
    const other = right[name] ?? { rows: 0, cents: 0 };
    return one.rows === other.rows && (name === 'invalid' || one.cents === other.cents);
  });
}

function say(totals: Totals): string {
  return `${totals.rows} rows ${formatCents(totals.cents)}`;
}
