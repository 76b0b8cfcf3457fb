import { counted } from '../../kernel/counted.ts';
import type { Fault } from '../../rows/rows.ts';
import type { CellType, SourceRow } from '../profile/read/text-rows.ts';
import { findUnreadable, type UnreadableFault } from '../read/split-cells.ts';
import { LONGEST_LINE } from '../read/split-lines.ts';
import { type CellRange, columnName, columnOf, LAST_COLUMN, LAST_ROW, rangeOf } from './cell-address.ts';
import { type CellBook, cellText, type CellValue, type SheetCell, valueOf } from './cell-value.ts';
import { isTrue, type XmlHandlers } from './read-xml.ts';
import { refuse } from './refusal.ts';

type Attributes = Parameters<XmlHandlers['open']>[1];

type OpenCell = Pick<SheetCell, 'address' | 'type' | 'style'> & { value: string; isFormula: boolean };
type OpenRow = ReturnType<typeof openRow>;

/** At most so many merged or hidden places are named, and so many formulas may fill several cells at a time. */
const MOST_NAMED = 100;

/** The parts of a sheet that are read. */
const SECTIONS = ['cols', 'sheetData', 'mergeCells'];

/** Takes the XML of a sheet. Rows without any content are left out; the others keep their numbers. */
export function sheetReader(book: CellBook) {
  const content = cellText(LONGEST_LINE);
  const doubts = doubtList();
  const hidden = hiddenColumns();
  const formulas = filledByFormulas();
  let rows: SourceRow[] = [];
  let section = '';
  let row: OpenRow | undefined;
  let cell: OpenCell | undefined;
  let line = 0;
  let column = 0;
  let isValue = false;

  function open(name: string, attributes: Attributes): void {
    if (cell) openInCell(name, attributes, cell);
    else if (row && name === 'c') openCell(attributes, row);
    else if (SECTIONS.includes(name)) section = name;
    else if (name === 'row' && section === 'sheetData') openNextRow(attributes);
    else if (name === 'col' && section === 'cols') hidden.add(attributes);
    else if (name === 'mergeCell' && section === 'mergeCells') doubts.addMerged(attributes['ref'] ?? '');
  }

  function openNextRow(attributes: Attributes): void {
    const number = attributes['r'] === undefined ? line + 1 : Number(attributes['r']);
    if (!(Number.isInteger(number) && number > line && number <= LAST_ROW)) refuse('its rows are not in their order');
    line = number;
    column = 0;
    row = openRow(line, isTrue(attributes['hidden']) || Number(attributes['ht'] ?? 1) === 0);
    formulas.startRow(line);
  }

  function openCell({ r, t = 'n', s = '0' }: Attributes, { number }: OpenRow): void {
    const next = r === undefined ? column + 1 : columnOf(r);
    const address = `${columnName(next)}${number}`;
    if (next <= column || address !== (r ?? address)) refuse('its cells are not in their order');
    column = next;
    cell = { address, type: t, style: Number(s), value: '', isFormula: formulas.fill(column) };
  }

  function openInCell(name: string, attributes: Attributes, current: OpenCell): void {
    if (current.type === 'inlineStr') content.open(name, attributes);
    if (name === 'v') isValue = true;
    if (name !== 'f') return;
    current.isFormula = true;
    if (attributes['t'] === 'array' || attributes['t'] === 'dataTable') formulas.add(attributes['ref'] ?? '');
  }

  function text(piece: string): void {
    content.text(piece);
    if (cell && isValue && cell.value.length <= LONGEST_LINE) cell.value += piece;
  }

  function close(name: string): void {
    content.close(name);
    if (name === section) section = '';
    else if (name === 'v') isValue = false;
    else if (name === 'c' && cell && row) closeCell(cell, row);
    else if (name === 'row' && row) closeRow(row);
  }

  function closeCell(closed: OpenCell, { take }: OpenRow): void {
    if (closed.type === 'inlineStr') closed.value = content.take();
    const found = valueOf(closed, book);
    if (found.type !== 'empty') {
      take(column, found, closed);
      hidden.note(column);
    }
    cell = undefined;
  }

  function closeRow(closed: OpenRow): void {
    const read = closed.close();
    if (read) rows.push(read);
    row = undefined;
  }

  /** Returns the rows that are complete since the last call. */
  function takeRows(): SourceRow[] {
    const taken = rows;
    rows = [];
    return taken;
  }

  return { handlers: { open, text, close }, takeRows, doubts: (): Fault[] => [...hidden.faults(), ...doubts.list()] };
}

/** Collects the cells of a row. One that is longer than any payment takes no memory. */
function openRow(number: number, isHidden: boolean) {
  const cells: string[] = [];
  const types: CellType[] = [];
  const formulas: number[] = [];
  let length = 0;
  let fault: UnreadableFault | undefined;

  function take(column: number, { text, type }: CellValue, { address, isFormula }: OpenCell): void {
    length += text.length;
    if (length + column > LONGEST_LINE) fault ??= { code: 'LINE_TOO_LONG' };
    if (type === 'text') fault ??= unreadableText(text, `cell ${address}`);
    if (fault) return;
    for (let place = cells.length; place < column - 1; place += 1) {
      cells.push('');
      types.push('empty');
    }
    cells.push(text);
    types.push(type);
    if (isFormula) formulas.push(column - 1);
  }

  function close(): SourceRow | undefined {
    if (fault) return { line: number, span: 1, cells: [], fault };
    return cells.length === 0 ? undefined : { line: number, span: 1, cells, typed: { types, formulas, isHidden } };
  }

  return { number, take, close };
}

function unreadableText(text: string, detail: string): UnreadableFault | undefined {
  const found = findUnreadable({ number: 0, text, tooLong: false });
  return found && { code: found.code, detail };
}

/** Knows the cells that are filled by a formula of another cell. */
function filledByFormulas() {
  let ranges: CellRange[] = [];
  let row = 0;

  function startRow(number: number): void {
    row = number;
    if (ranges.length > 0) ranges = ranges.filter(({ bottom }) => bottom >= number);
  }

  function add(range: string): void {
    if (ranges.length === MOST_NAMED) refuse('too many formulas of it fill several cells');
    ranges.push(rangeOf(range));
  }

  function fill(column: number): boolean {
    return ranges.some(({ top, left, right }) => row >= top && column >= left && column <= right);
  }

  return { startRow, add, fill };
}

/** Knows the hidden columns, and which of them hold anything. */
function hiddenColumns() {
  const isHidden = new Uint8Array(LAST_COLUMN + 1);
  const filled = new Set<number>();
  let ranges = 0;

  function add({ min, max, hidden, width }: Attributes): void {
    if (!isTrue(hidden) && Number(width ?? 1) !== 0) return;
    ranges += 1;
    if (ranges > LAST_COLUMN) refuse('it names more columns than a sheet has');
    isHidden.fill(1, Number(min), Number(max) + 1);
  }

  function note(column: number): void {
    if (isHidden[column] === 1) filled.add(column);
  }

  function faults(): Fault[] {
    const columns = [...filled].toSorted((a, b) => a - b);
    const named = columns.slice(0, MOST_NAMED).map((column) => `column ${columnName(column)} is hidden`);
    const more = columns.length > MOST_NAMED ? [`${columns.length - MOST_NAMED} more columns are hidden`] : [];
    return [...named, ...more].map((detail) => ({ code: 'WORKBOOK_DOUBT', line: 0, detail }));
  }

  return { add, note, faults };
}

function doubtList() {
  const faults: Fault[] = [];
  let more = 0;

  function addMerged(range: string): void {
    if (faults.length === MOST_NAMED) more += 1;
    else faults.push({ code: 'WORKBOOK_DOUBT', line: rangeOf(range).bottom, detail: `cells ${range} are merged` });
  }

  function list(): Fault[] {
    if (more === 0) return faults;
    return [...faults, { code: 'WORKBOOK_DOUBT', line: 0, detail: counted(more, 'more merged place') }];
  }

  return { addMerged, list };
}
