import { columnsOf, type LayoutName, REASON_TITLE } from '../../../schemas/layouts.ts';
import { LARGEST_TOTAL_CENTS, parseAmount } from '../../kernel/money.ts';
import type { Fault, RawRow, Totals } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import { type CheckedRow, compileRowCheck } from './check-row.ts';
import { checkLayout, chooseLayout, columnCountFault, findSeparator } from './choose-layout.ts';
import { DuplicateRows } from './duplicate-rows.ts';
import type { faultTally } from './fault-effect.ts';
import {
  checkHeader,
  hasReasonColumn,
  holdsSecurityCode,
  isHeader,
  leaveOutReason,
  repeatsTitles,
  titlesSecurityCode,
} from './find-header.ts';
import type { ScannedRows } from '../scan/scan-block.ts';
import type { ProfileReading } from '../profile/read-profile.ts';
import type { LineRecord } from '../read/split-cells.ts';
import type { Line } from '../read/split-lines.ts';

/** Totals of the rows of a file, and what was found on the way. */
export type RecordsFound = {
  readonly layout: LayoutName | null;
  readonly headerLine: number | null;
  readonly faults: readonly Fault[];
  readonly records: number;
  readonly valid: Totals;
  /** Sum of all readable amounts, including those of invalid rows. */
  readonly declaredCents: number;
};

type Payments = Pick<ScannedRows, 'cents' | 'hashes'>;

export type CheckerOptions = {
  /** Limit of the sum of a file; tests use a smaller one. */
  readonly largestTotalCents?: number;
  /** Approximate share of the file read so far; 0 when its size is unknown. */
  readonly readShare?: () => number;
  /** Knows what an import profile cannot read. */
  readonly reading?: Pick<ProfileReading, 'faultsOf' | 'isUnfit'> | undefined;
};

/**
 * Turns the records of one file into checked rows. It finds the header and the layout in the first group, then checks
 * each row and adds up the valid ones.
 */
export function recordChecker(
  rules: CheckRules,
  tally: ReturnType<typeof faultTally>,
  { largestTotalCents = LARGEST_TOTAL_CENTS, readShare = () => 0, reading }: CheckerOptions = {},
) {
  const duplicates = new DuplicateRows(expectRecords);
  const totals = exactTotals(largestTotalCents);
  const declared = exactTotals(largestTotalCents);
  const faults: Fault[] = [];
  // An import profile has read the titles, and its rows have a layout.
  let isHeaderSettled = rules.profile !== undefined;
  let isSeparatedOtherwise = false;
  let header: RawRow | undefined;
  let holdsCodes = false;
  let layout: LayoutName | undefined;
  let checkRow: ((raw: RawRow) => CheckedRow) | undefined;
  let records = 0;

  /** @param lines of the group */
  function checkGroup(group: readonly LineRecord[], lines: readonly Line[]): CheckedRow[] {
    const data = settle(group, lines);
    records += data.length;
    // The column of the codes is not certain, so no cell of the file may be shown or passed on.
    if (isSeparatedOtherwise || holdsCodes) return [];
    const rows: CheckedRow[] = [];
    for (const record of data) {
      const row = checkRecord(record);
      if (row) rows.push(row);
    }
    return rows;
  }

  /**
   * Finds header and layout, unless they are known. Nothing else is done with the rows.
   * @returns the group without the header
   */
  function settle(group: readonly LineRecord[], lines: readonly Line[]): readonly LineRecord[] {
    if (records === 0 && !isHeaderSettled && !isSeparatedOtherwise) settleSeparator(group, lines);
    if (isSeparatedOtherwise) return group;
    if (!isHeaderSettled) settleHeader(group);
    const data = leaveOutReason(rules.operation, header, header ? group.filter(isNoHeader) : group);
    if (!holdsCodes && !layout) settleLayout(data);
    return data;
  }

  /** Refuses a file of semicolons or tabs once, because each of its lines would have the same fault. */
  function settleSeparator(group: readonly LineRecord[], lines: readonly Line[]): void {
    const separator = chooseLayout(rules.operation, group) ? undefined : findSeparator(lines);
    if (!separator) return;
    isSeparatedOtherwise = true;
    addFault({ code: 'WRONG_SEPARATOR', line: 0, detail: `saved with ${separator}` });
  }

  function isNoHeader(record: RawRow): boolean {
    return record.line !== header?.line;
  }

  function settleHeader(group: readonly LineRecord[]): void {
    const first = group.find((record) => !record.fault);
    if (!first) return;
    isHeaderSettled = true;
    if (isHeader(rules.operation, first.cells)) header = first;
    holdsCodes = header !== undefined && titlesSecurityCode(header.cells);
    if (holdsCodes) addFault({ code: 'SECURITY_CODE', line: first.line, detail: 'named in the header' });
    if (header && rules.folder.header === 'none') addFault({ code: 'HEADER_UNEXPECTED', line: first.line });
    if (!header && rules.folder.header === 'required') addFault({ code: 'HEADER_MISSING', line: first.line });
  }

  function settleLayout(data: readonly RawRow[]): void {
    layout = rules.profile?.layout ?? chooseLayout(rules.operation, data);
    if (!layout) return;
    checkRow = compileRowCheck(layout, rules, duplicates);
    checkLayout(layout, rules).forEach(addFault);
  }

  /** @returns undefined for a broken line that is no longer listed */
  function checkRecord(record: LineRecord): CheckedRow | undefined {
    const structural = findStructuralFault(record);
    if (structural) return tally.countStructural(structural) ? brokenRow(record, structural) : undefined;
    const row = addUp(checkMade(record));
    // An amount that would make the sum inexact is skipped; the sum then matches no control total.
    declared.add(row.amountCents ?? 0);
    row.faults.forEach(tally.count);
    return row;
  }

  /** Checks a row. One that the import profile cannot read is invalid, whatever the rules would say. */
  function checkMade(record: LineRecord): CheckedRow {
    const own = reading?.faultsOf(record.line) ?? [];
    if (!reading?.isUnfit(own)) {
      const row = checkRow!(record);
      return own.length > 0 ? { ...row, faults: [...own, ...row.faults] } : row;
    }
    const cents = parseAmount(record.cells[columnsOf(layout!).indexOf('amount')] ?? '');
    return { raw: record, faults: own, amountCents: typeof cents === 'number' && cents !== 0 ? cents : null };
  }

  function findStructuralFault(record: LineRecord): Fault | undefined {
    if (record.fault) return { ...record.fault, line: record.line };
    if (!rules.profile && repeatsTitles(rules.operation, record.cells)) {
      const detail = header ? `they stand in line ${header.line}` : 'the first line has none';
      return { code: 'TITLES_REPEATED', line: record.line, detail };
    }
    if (layout && record.cells.length === columnsOf(layout).length) return undefined;
    if (holdsSecurityCode(rules.operation, record.cells)) {
      return { code: 'SECURITY_CODE', line: record.line, detail: 'an extra column of three or four digits' };
    }
    const fault = columnCountFault(record, rules, layout ?? rules.folder.layout);
    const leavesOut = header !== undefined && hasReasonColumn(rules.operation, header);
    return leavesOut ? { ...fault, detail: `${fault.detail}; ${REASON_TITLE} is not counted` } : fault;
  }

  /** Adds a valid row to the totals. A row that would make the sum inexact becomes invalid, however unlikely. */
  function addUp(row: CheckedRow): CheckedRow {
    if (!row.payment || totals.add(row.payment.amountCents)) return row;
    const fault: Fault = { code: 'AMOUNT_LIMIT', line: row.raw.line, detail: 'the total of the file is too large' };
    return { raw: row.raw, faults: [...row.faults, fault], amountCents: row.amountCents };
  }

  function close(): RecordsFound {
    if (header && !holdsCodes) {
      const [titles = header] = leaveOutReason(rules.operation, header, [header]);
      checkHeader(titles, layout).forEach(addFault);
    }
    return {
      layout: layout ?? null,
      headerLine: header?.line ?? null,
      faults,
      records,
      valid: totals.sum(),
      declaredCents: declared.sum().cents,
    };
  }

  function addFault(fault: Fault): void {
    faults.push(fault);
    tally.count(fault);
  }

  /**
   * Adds payments that were scanned as bytes, from `from` to before `to`. It stops at one that may be invalid after
   * all: a duplicate, or too much for the totals.
   * @param firstLine line of the row `from`; the others follow without gaps
   * @returns the row it stopped at, or `to` when all were added
   */
  function addPayments({ cents, hashes }: Payments, from: number, to: number, firstLine: number): number {
    duplicates.fetchSlots(hashes, from, to);
    for (let row = from; row < to; row += 1) {
      const amount = cents[row]!;
      const isNew = totals.takes(amount) && duplicates.findFirstLineOf(hashes, row, firstLine + row - from) === 0;
      if (!isNew) return row;
      totals.add(amount);
      declared.add(amount);
      records += 1;
    }
    return to;
  }

  function expectRecords(): number {
    const share = readShare();
    return share > 0 ? records / share : 0;
  }

  /** Returns whether header and layout are known, so that the grouping of rows no longer matters. */
  function isSettled(): boolean {
    return layout !== undefined;
  }

  /** Returns whether all columns of the file are those of its layout. */
  function isPlain(): boolean {
    return !holdsCodes && !(header && hasReasonColumn(rules.operation, header));
  }

  return {
    settle,
    checkGroup,
    hashKey: duplicates.hashKey,
    addPayments,
    isSettled,
    isPlain,
    layout: () => layout,
    /** Refuses the file for a fault found elsewhere. */
    refuse: addFault,
    close,
  };
}

function brokenRow(record: LineRecord, fault: Fault): CheckedRow {
  // A security code must not be kept anywhere, so the cells of its row are dropped here.
  const cells = fault.code === 'SECURITY_CODE' ? [] : record.cells;
  return { raw: { line: record.line, cells }, faults: [fault], amountCents: null };
}

/**
 * Counts rows and adds up cents. It refuses any amount that would make the sum inexact.
 * @param largestCents limit of the absolute value of the sum
 */
export function exactTotals(largestCents: number) {
  let rows = 0;
  let cents = 0;

  /** Returns whether the sum stays exact with this amount. */
  function takes(amountCents: number): boolean {
    return Math.abs(cents + amountCents) <= largestCents;
  }

  function add(amountCents: number): boolean {
    if (!takes(amountCents)) return false;
    rows += 1;
    cents += amountCents;
    return true;
  }

  return { takes, add, sum: (): Totals => ({ rows, cents }) };
}
