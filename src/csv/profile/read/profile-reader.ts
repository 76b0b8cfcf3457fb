import type { FaultCode } from '../../../../schemas/errors.ts';
import { columnsOf } from '../../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../../../schemas/operations.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { parseAmount } from '../../../kernel/money.ts';
import type { Fault } from '../../../rows/rows.ts';
import { unguardCell } from '../../write/guard-cell.ts';
import { type CellReport, compileCells } from '../cell-rules.ts';
import { type Head, howCountDiffers, titlePlaces } from './find-titles.ts';
import { paymentChecks, type ProfileContext } from './payment-checks.ts';
import { cellFaults } from './row-faults.ts';
import { type RowKind, rowSorter } from './row-kinds.ts';
import { paymentProbe, type SkippedRows, skippedTally } from './skipped-rows.ts';
import type { SourceRow } from './text-rows.ts';
import { totalRows } from './total-rows.ts';
import { typedCells, withShownSums } from './typed-cells.ts';

export type LineKind =
  | 'above'
  | 'titles'
  | 'blank'
  | 'total'
  | 'skipped'
  | 'tail'
  | 'payment'
  /** A further line of the row before, which has line ends within quotes. */
  | 'continued'
  /** It cannot be read or stands where it must not, so the file is refused. */
  | 'unread';

/** One line of the sender's file. */
export type ProfileLine = {
  readonly line: number;
  readonly kind: LineKind;
  /** Why a skipped line is left out. */
  readonly skippedBy?: string;
  /** As the sender wrote them; empty when the line cannot be read, or must not be kept. */
  readonly cells: readonly string[];
  /** The cells of a payment as the layout wants them. A cell that does not fit is empty. */
  readonly made?: readonly string[];
  /** Places of cells of a workbook that are not what the profile wants, though their text alone may look right. */
  readonly misread?: ReadonlySet<number>;
  /** Masked; see `isUnfit`. */
  readonly faults: readonly Fault[];
};

/** Faults that hold the file and leave the payment as it is. */
const JUDGED_BY_PERSON: readonly FaultCode[] = ['DATE_OUTSIDE', 'INVOICE_REPEATED'];

/** Returns whether a payment with these faults must never be sent, because the profile cannot read all of it. */
export function isUnfit(faults: readonly Fault[]): boolean {
  return faults.some(({ code }) => !JUDGED_BY_PERSON.includes(code));
}

/** Reads the rows of a file, whose head is known, one after the other. */
export type RowReader = {
  readonly read: (row: SourceRow) => ProfileLine;
  /** What only the whole file shows; after the last row. */
  readonly close: () => { readonly faults: readonly Fault[]; readonly skipped: readonly SkippedRows[] };
};

const NO_FAULTS: readonly Fault[] = Object.freeze([]);

/** Reads the rows of a file that is refused for its head: none is a payment. */
export function refusedRows({ holdsCodes }: Head): RowReader {
  return {
    read: (row) => (holdsCodes ? { line: row.line, kind: 'unread', cells: [], faults: NO_FAULTS } : unreadLine(row)),
    close: () => ({ faults: [], skipped: [] }),
  };
}

function unreadLine(row: SourceRow, fault: Omit<Fault, 'line'> | undefined = row.fault): ProfileLine {
  const { line, cells } = row;
  return { line, kind: 'unread', cells, faults: fault ? [{ ...fault, line }] : NO_FAULTS };
}

/** Compiles the profile for the titles of a file. */
export function profileRows(given: Profile, context: ProfileContext, head: Head): RowReader {
  const isReturned = head.writtenBy !== undefined;
  const profile = isReturned ? forReturned(given) : given;
  const placeOf = titlePlaces(profile, head.titles);
  const sort = rowSorter(profile, { placeOf, titles: head.titles, width: head.width });
  const make = compileCells(profile, placeOf);
  const probe = paymentProbe(profile, make);
  const faultOf = cellFaults(profile, placeOf);
  const checks = paymentChecks(profile, context, placeOf);
  const totals = totalRows(profile, placeOf);
  const guard = codeGuard(profile, head, placeOf, (cells) => probe(cells).isSound);
  const skipped = skippedTally();
  const typed = typedCells(profile, placeOf);
  const amountPlace = columnsOf(profile.layout).indexOf('amount');
  const leavesSign = profile.rows.otherSign === 'skip';
  const { sign } = FOLDER_OPERATIONS[context.operation];
  let headRows = head.rows;
  let current: SourceRow;
  let faults: Fault[] | undefined;

  const report: CellReport = (code, title, detail) => {
    (faults ??= []).push(faultOf(code, current.line, current.cells, title, detail));
  };

  function reportBeside(misfits: ReadonlySet<number>): CellReport {
    return (code, title, detail) => {
      if (!misfits.has(placeOf(title))) report(code, title, detail);
    };
  }

  function read(source: SourceRow): ProfileLine {
    const row = isReturned ? { ...source, cells: source.cells.map(unguardCell) } : source;
    const line = readRow(row);
    const doubts = typed.doubts(row, line.kind);
    return doubts.length === 0 ? line : { ...line, faults: [...line.faults, ...doubts] };
  }

  function readRow(row: SourceRow): ProfileLine {
    if (headRows > 0) return readHead(row);
    if (row.fault) return unreadLine(row);
    if (!isReturned) return readKind(row, sort(row.cells));
    // A security code in place of the reason is still one.
    if (guard.hasExtraCode(row.cells)) return refuseCount(row, head.width);
    const cells = row.cells.slice(0, -1);
    return readKind({ ...row, cells }, sort(cells));
  }

  function readHead(row: SourceRow): ProfileLine {
    headRows -= 1;
    if (row.fault) return unreadLine(row);
    const isTitles = headRows === 0 && head.titles !== undefined;
    return isTitles ? lineOf({ ...row, cells: head.titles }, 'titles') : leaveOut(row, 'above');
  }

  function readKind(row: SourceRow, found: RowKind): ProfileLine {
    switch (found.kind) {
      case 'odd':
        return readPayment(row, found.title);
      case 'total':
        totals.takeTotal(found.rule, withShownSums(row));
        return leaveOut(row, 'total');
      case 'skipped':
        return found.isOnly ? skipOther(row, found.by, probe(row.cells).cents) : leaveOut(row, 'skipped', found.by);
      case 'misplaced':
        return unreadLine(row, { code: 'ROW_MISPLACED', detail: found.detail });
      case 'miscounted':
        return refuseCount(row, found.expected);
      case 'blank':
      case 'tail':
        return lineOf(row, found.kind);
      case 'taken':
        return readPayment(row);
    }
  }

  /** Reads a payment. @param unlisted title of a word that the profile does not list */
  function readPayment(row: SourceRow, unlisted?: Parameters<CellReport>[1]): ProfileLine {
    current = row;
    faults = undefined;
    if (unlisted !== undefined) report('WORD_UNLISTED', unlisted);
    const misfits = typed.misfits(row, report);
    const cells = misfits.size === 0 ? row.cells : withoutCells(row.cells, misfits);
    const reportOther = misfits.size === 0 ? report : reportBeside(misfits);
    const made = make(cells, reportOther);
    if (leavesSign && unlisted === undefined) {
      const cents = parseAmount(made[amountPlace]!);
      if (typeof cents === 'number' && cents * sign < 0) return skipOther(row, OTHER_SIGN, cents);
    }
    checks.check(row, made, reportOther);
    totals.addRow(row.cells, true);
    guard.takePayment(row.cells);
    const line = { line: row.line, kind: 'payment', cells: row.cells, made, faults: faults ?? NO_FAULTS } as const;
    return misfits.size === 0 ? line : { ...line, misread: misfits };
  }

  /** Leaves out a row whose word or sign says that it is no payment of this folder. */
  function skipOther(row: SourceRow, by: string, cents: number): ProfileLine {
    totals.addRow(row.cells, false);
    skipped.add(by, cents);
    return { ...lineOf(row, 'skipped'), skippedBy: by };
  }

  /** Leaves out any other row, and reports one that could be a payment. */
  function leaveOut(row: SourceRow, kind: 'above' | 'total' | 'skipped', by?: string): ProfileLine {
    const found = row.cells.length === head.width ? probe(row.cells) : { isPayment: false, cents: 0 };
    if (by !== undefined) skipped.add(by, found.cents);
    const line = { ...lineOf(row, kind), ...(by !== undefined && { skippedBy: by }) };
    return found.isPayment
      ? { ...line, faults: [{ code: 'SKIPPED_PAYMENT', line: row.line, detail: LEFT_OUT[kind](by) }] }
      : line;
  }

  function refuseCount(row: SourceRow, expected: number): ProfileLine {
    if (guard.hasExtraCode(row.cells)) {
      const line = unreadLine(row, { code: 'SECURITY_CODE', detail: 'an extra column of three or four digits' });
      return { ...line, cells: [] };
    }
    return unreadLine(row, { code: 'COLUMN_COUNT', detail: howCountDiffers(expected, row.cells) });
  }

  return {
    read,
    close: () => ({
      faults: [...totals.faults(), ...checks.faults(), ...guard.faults(), ...skipped.faults()],
      skipped: skipped.list(),
    }),
  };
}

/** Total rows and lines at the end are not returned. If a total row stands there anyway, it must be right. */
function forReturned({ rows, ...profile }: Profile): Profile {
  return { ...profile, rows: { ...rows, totals: rows.totals.map((total) => ({ ...total, must: 'maybe' })), tail: 0 } };
}

const OTHER_SIGN = 'other sign';

const LEFT_OUT = {
  above: () => 'it stands above the titles',
  total: () => 'it is taken for a total row',
  skipped: (by?: string) => `it is left out as "${by ?? ''}"`,
};

function withoutCells(cells: readonly string[], misfits: ReadonlySet<number>): string[] {
  return cells.map((cell, place) => (misfits.has(place) ? '' : cell));
}

function lineOf({ line, cells }: SourceRow, kind: LineKind): ProfileLine {
  return { line, kind, cells, faults: NO_FAULTS };
}

const CODE = /^\d{3,4}$/;

/**
 * Looks for card security codes in columns without a title: an extra one beside the card, or one that is not sent.
 * @param head.writtenBy set when paydrop wrote the file, so that only the reason can be such a column
 * @param isSound whether cells, as many as the titles, can be read as a payment
 */
export function codeGuard(
  profile: Profile,
  { width, writtenBy }: Pick<Head, 'width' | 'writtenBy'>,
  placeOf: (title: Title) => number,
  isSound: CellsTest,
) {
  const titles = [profile.columns.cardNumber?.from, profile.columns.expiry?.from].filter(
    (title) => title !== undefined,
  );
  const beside = titles.flatMap((title) => [placeOf(title), placeOf(title) + 1]);
  const isUntitled = profile.head.titles === 'none';
  const extras = new Set([...(writtenBy === undefined ? beside : []), ...(isUntitled || writtenBy ? [width] : [])]);
  // Of a returned file, which may have one row, these columns were judged by all rows of the first file.
  const looksAtUnsent = isUntitled && writtenBy === undefined && titles.length > 0;
  const unsent = looksAtUnsent ? profile.ignore.map((title) => newColumn(placeOf(title))) : [];
  let payments = 0;

  /** Returns whether a row has one cell too many, and without a security code it is a payment. */
  function hasExtraCode(cells: readonly string[]): boolean {
    if (titles.length === 0 || cells.length !== width + 1) return false;
    return [...extras].some((place) => CODE.test(cells[place]!.trim()) && isSound(cells.toSpliced(place, 1)));
  }

  function takePayment(cells: readonly string[]): void {
    payments += 1;
    for (const column of unsent) {
      const cell = cells[column.place]!.trim();
      if (CODE.test(cell)) column.codes += 1;
      column.first ??= cell;
      column.differs ||= cell !== column.first;
    }
  }

  /** A column where every payment has such digits, and not always the same, must be one of security codes. */
  function faults(): Fault[] {
    const found = unsent.find(
      ({ codes, differs }) => codes === payments && payments > 0 && (differs || payments === 1),
    );
    if (!found) return [];
    return [
      { code: 'SECURITY_CODE', line: 0, detail: `column ${found.place + 1} has three or four digits in each row` },
    ];
  }

  return { hasExtraCode, takePayment, faults };
}

type CellsTest = (cells: readonly string[]) => boolean;

function newColumn(place: number) {
  return { place, codes: 0, first: undefined as string | undefined, differs: false };
}
