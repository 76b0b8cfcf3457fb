import { counted } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import type { ControlNote, OutcomeTotals, Totals } from '../rows/rows.ts';
import { sumTotals } from './read-outcome.ts';

/** One equation of the chain of control totals, applied to a file. */
export type ControlTotal = { id: string; holds: boolean; says: string };

/** Everything the equations compare. Money is integer cents. */
export type Figures = {
  control: ControlNote | null;
  approved: boolean;
  sha256: string;
  physicalLines: number;
  blankLines: number;
  headerLines: number;
  /** Set for a file that an import profile read. */
  readLines: ReadLines | null;
  records: number;
  valid: Totals;
  invalidRows: number;
  batches: readonly Totals[];
  /** Outcomes in the ledger, including withheld and unsent rows. */
  outcomes: OutcomeTotals;
  /** Outcomes in the result file, read back from disk. */
  delivered: OutcomeTotals;
};

/** The lines of a file by what the import profile took them for, and the rows that it left out, by the reason. */
export type ReadLines = {
  readonly lines: Readonly<Record<string, number>>;
  readonly skipped: readonly { readonly name: string; readonly rows: number }[];
};

/**
 * Checks H0 to H8 for a finished file. H1, H5 and H6 were conditions of earlier transitions, where a difference stops
 * the file. They are therefore reported here, not computed again.
 */
export function checkControlTotals(figures: Figures): ControlTotal[] {
  const { records, valid, invalidRows, outcomes } = figures;
  const batched = addUp(figures.batches);
  const { invalid: withheld = NOTHING, not_sent: unsent = NOTHING, ...sentOutcomes } = outcomes;
  const sent = sumTotals(sentOutcomes);
  return [
    total('H0', holdsControl(figures), describeControl(figures)),
    total('H1', true, 'the bytes read are the bytes claimed'),
    { id: 'H2', ...lineEquation(figures) },
    total(
      'H3',
      records === valid.rows + invalidRows,
      `${counted(records, 'row')} = ${valid.rows} valid + ${invalidRows} withheld`,
    ),
    total('H4', same(valid, batched), `valid ${say(valid)} = batches ${say(batched)}`),
    total('H5', true, 'the bytes of every batch, read again, were its rows'),
    total('H6', true, 'every result row is a sent row'),
    total(
      'H7',
      same(addUp([sent, unsent]), batched) && sumTotals(outcomes).rows === records,
      `outcomes ${say(sent)} + not sent ${say(unsent)} = batches ${say(batched)}; with ${withheld.rows} withheld ${counted(records, 'row')}`,
    ),
    total('H8', sameOutcomes(outcomes, figures.delivered), 'the result file, read back, says what the ledger says'),
  ];
}

type LineFigures = Pick<Figures, 'physicalLines' | 'blankLines' | 'headerLines' | 'readLines' | 'records'>;

/** Checks H2, that each line of a file is a row, or something else that is known. */
function lineEquation(figures: LineFigures): Pick<ControlTotal, 'holds' | 'says'> {
  const { physicalLines, blankLines, headerLines, readLines, records } = figures;
  if (readLines) return readEquation(readLines, { physical_lines: physicalLines, records });
  const nonBlank = physicalLines - blankLines;
  return {
    holds: nonBlank === headerLines + records,
    says: `${counted(nonBlank, 'line')} = ${headerLines} header + ${counted(records, 'row')}`,
  };
}

const SAID_KINDS: Readonly<Record<string, string>> = {
  payment: 'of payments',
  above: 'above the titles',
  titles: 'of titles',
  total: 'of totals',
  tail: 'behind them',
  blank: 'blank',
  continued: 'continued from the line before',
  unread: 'not read',
};

/** Does the same for a file that an import profile read, of which more is known. */
export function readEquation(
  { lines, skipped }: ReadLines,
  counts: { readonly physical_lines: number | null; readonly records: number | null },
): Pick<ControlTotal, 'holds' | 'says'> {
  const physicalLines = counts.physical_lines ?? 0;
  const { skipped: left = 0, ...kinds } = lines;
  const leftOut = skipped.reduce((sum, { rows }) => sum + rows, 0);
  const known = Object.keys(SAID_KINDS).reduce((sum, kind) => sum + (kinds[kind] ?? 0), leftOut);
  const parts = [
    ...Object.entries(SAID_KINDS).flatMap(([kind, said]) => (kinds[kind] ? [`${kinds[kind]} ${said}`] : [])),
    ...skipped.map(({ name, rows }) => `${rows} left out as "${name}"`),
  ];
  return {
    holds: known === physicalLines && leftOut === left && (lines['payment'] ?? 0) === (counts.records ?? 0),
    says: `${counted(physicalLines, 'line')} = ${parts.join(' + ') || 0}`,
  };
}

/** Figures for checking a correction. Money is integer cents. */
export type CorrectionFigures = {
  batches: readonly Totals[];
  /** Outcomes of the whole file after the correction. */
  outcomes: OutcomeTotals;
  /** The corrected rows by new outcome, in the ledger and as read back from disk. */
  changed: OutcomeTotals;
  delivered: OutcomeTotals;
};

/** Checks H7 and H8 again after a correction: no row or cent was gained or lost, and the file matches the ledger. */
export function checkCorrectionTotals({ batches, outcomes, changed, delivered }: CorrectionFigures): ControlTotal[] {
  const batched = addUp(batches);
  const { invalid: _withheld, not_sent: unsent = NOTHING, ...sentOutcomes } = outcomes;
  const sent = sumTotals(sentOutcomes);
  return [
    total(
      'H7',
      same(addUp([sent, unsent]), batched),
      `outcomes ${say(sent)} + not sent ${say(unsent)} = batches ${say(batched)}`,
    ),
    total('H8', sameOutcomes(changed, delivered), 'the correction, read back, says what the ledger says'),
  ];
}

function total(id: string, holds: boolean, says: string): ControlTotal {
  return { id, holds, says };
}

/** Checks H0. Differences hold the file at intake, so only a person can have approved them. */
function holdsControl(figures: Figures): boolean {
  return figures.control === null || figures.approved || agrees(figures.control, figures);
}

function agrees(control: ControlNote, figures: Figures): boolean {
  if ('fault' in control) return false;
  return compareControl(control, { ...figures, declaredCents: declaredCents(figures) }).length === 0;
}

/** What a file has of what its control file says. `declaredCents` includes withheld rows whose amounts can be read. */
export type Declared = { readonly records: number; readonly declaredCents: number; readonly sha256: string };

/** Returns in words how a file differs from its control file; empty when it agrees. What is not said is not compared. */
export function compareControl(
  { rows, totalCents, sha256 }: Exclude<ControlNote, { fault: string }>,
  file: Declared,
): string[] {
  const differences: string[] = [];
  if (rows !== undefined && rows !== file.records) {
    differences.push(`it says ${counted(rows, 'row')}, the file has ${file.records}`);
  }
  if (totalCents !== undefined && totalCents !== file.declaredCents) {
    const found = formatCents(file.declaredCents);
    differences.push(`it says a total of ${formatCents(totalCents)}, the file has ${found}`);
  }
  if (sha256 !== undefined && sha256 !== file.sha256) differences.push('its sha256 does not match the file');
  return differences;
}

/** Returns the total that the sender means: it includes the withheld rows whose amounts could be read. */
function declaredCents({ valid, outcomes }: Figures): number {
  return valid.cents + (outcomes.invalid?.cents ?? 0);
}

function describeControl(figures: Figures): string {
  const { control, approved, records } = figures;
  if (!control) return 'no control file; completeness was inferred';
  if (approved && !agrees(control, figures)) return 'the control file differs; a person approved the file';
  if ('fault' in control) return 'the control file cannot be read';
  const { rows, totalCents, sha256 } = control;
  const parts = [
    rows === undefined ? [] : [`${counted(rows, 'row')} = ${counted(records, 'row')}`],
    totalCents === undefined ? [] : [`total ${formatCents(totalCents)} = ${formatCents(declaredCents(figures))}`],
    sha256 === undefined ? [] : [`sha256 ${sha256} = ${figures.sha256}`],
  ];
  return `control file: ${parts.flat().join(', ')}`;
}

const NOTHING: Totals = { rows: 0, cents: 0 };

function addUp(parts: readonly Totals[]): Totals {
  return parts.reduce((sum, part) => ({ rows: sum.rows + part.rows, cents: sum.cents + part.cents }), NOTHING);
}

function same(left: Totals, right: Totals): boolean {
  return left.rows === right.rows && left.cents === right.cents;
}

/** Compares outcomes. Withheld rows may have no readable amount, so only their number is compared. */
function sameOutcomes(left: OutcomeTotals, right: OutcomeTotals): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]) as Set<keyof OutcomeTotals>;
  return [...names].every((name) => {
    const one = left[name] ?? NOTHING;
    const other = right[name] ?? NOTHING;
    return one.rows === other.rows && (name === 'invalid' || one.cents === other.cents);
  });
}

function say(totals: Totals): string {
  return `${counted(totals.rows, 'row')} ${formatCents(totals.cents)}`;
}
