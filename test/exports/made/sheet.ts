import { COLUMNS, columnsOf, type ColumnName } from '../../../schemas/layouts.ts';
import { SEPARATORS } from '../../../schemas/profiles.ts';
import { toWindows1252 } from '../../../src/rows/windows-1252.ts';
import { type Chooser, madeCell, type MadePayment, madePayments } from '../../csv/profile/support/made-payments.ts';
import type { KnownRow } from '../systems/columns.ts';
import type { System } from '../systems/system.ts';

/** A row of an export. `known` is what the system knows of it; blank and total rows have none. */
export type SheetRow = {
  readonly kind: KnownRow['kind'] | 'blank' | 'subtotal' | 'total' | 'tail';
  readonly cells: readonly string[];
  readonly known?: KnownRow;
  /** The line as it stands, in place of the cells. */
  readonly raw?: string;
};

/** How the text of a file becomes bytes. */
export type Form = {
  readonly charset: System['read']['charset'];
  readonly separator: string;
  readonly quotesAll: boolean;
  readonly end: string;
  readonly hasMark: boolean;
  readonly endsOpen: boolean;
};

/** An export before it is text. `titles` is empty in a file without titles. */
export type Sheet = {
  readonly form: Form;
  readonly above: readonly string[];
  readonly titles: readonly string[];
  readonly rows: readonly SheetRow[];
};

/** Returns rows that the system knows. Refunds are negative amounts. */
export function knownRows(system: System, choose: Chooser): KnownRow[] {
  const sign = system.place.operation === 'ach-refund' ? -1 : 1;
  return madePayments(system.place, choose).map((payment) => ({
    kind: 'payment',
    payment: { ...payment, cents: payment.cents * sign },
  }));
}

export function makeSheet(system: System, known: readonly KnownRow[]): Sheet {
  const { columns, read, total, subtotals, tail, untitled } = system;
  const rows = known.flatMap((row): SheetRow[] => {
    const cells = columns.map((column) => column.cell(row));
    const own: SheetRow = { kind: row.kind, cells, known: row };
    return subtotals ? [own, subtotalOf(system, cells)] : [own];
  });
  return {
    form: {
      charset: read.charset,
      separator: SEPARATORS[read.separator],
      quotesAll: system.quotesAll ?? false,
      end: system.end ?? '\n',
      hasMark: read.charset === 'utf-16',
      endsOpen: false,
    },
    above: [...(read.sepLine ? [`sep=${SEPARATORS[read.separator]}`] : []), ...(system.above ?? [])],
    titles: untitled ? [] : columns.map(({ title }) => title),
    rows: [
      ...rows,
      ...(total ? [totalOf(system, known)] : []),
      ...(tail === undefined ? [] : [{ kind: 'tail', cells: [tail] } as const]),
    ],
  };
}

function subtotalOf({ columns }: System, cells: readonly string[]): SheetRow {
  const kept = columns.map(({ holds }, place) => (holds === 'money' ? cells[place]! : ''));
  return { kind: 'subtotal', cells: [`Total for ${cells[1]}`, ...kept.slice(1)] };
}

function totalOf({ columns, total }: System, known: readonly KnownRow[]): SheetRow {
  const taken = known.filter(({ kind }) => kind === 'payment');
  const cents = taken.reduce((sum, { payment }) => sum + payment.cents, 0);
  const amount = columns.find(({ isAmount }) => isAmount)!;
  const sum = amount.cell({ kind: 'payment', payment: { ...taken[0]!.payment, cents } });
  if (total!.isTrailer) return { kind: 'total', cells: [total!.label, String(taken.length), sum] };
  const cells = columns.map((column) => (column === amount ? sum : ''));
  return { kind: 'total', cells: [total!.label, ...cells.slice(1)] };
}

/** Returns the payments that an export truly has. */
export function truthOf({ rows }: Sheet): MadePayment[] {
  return [...new Set(rows.flatMap(({ kind, known }) => (kind === 'payment' && known ? [known.payment] : [])))];
}

/** Returns a payment as its cells are sent to the service. */
export function sentCells({ layout, columns, place }: System, payment: MadePayment): string[] {
  const sent = new Set(columns.flatMap((column) => Object.keys(column.rules?.(column.title) ?? {}) as ColumnName[]));
  if (columns.some(({ part }) => part)) sent.add('accountNumber');
  return columnsOf(layout).map((column) =>
    sent.has(column) ? sentCell(column, madeCell(column, payment, place.account.country)) : '',
  );
}

/** An expiry is sent without its slash, and a text without commas. */
function sentCell(column: ColumnName, cell: string): string {
  if (column === 'expiry') return cell.replace('/', '');
  return COLUMNS[column].freeText ? cell.replace(/[,"]/g, ' ').replace(/ {2,}/g, ' ').trim() : cell.trim();
}

/** Writes an export as the bytes of a file. */
export function writeSheet({ form, above, titles, rows }: Sheet): Buffer {
  const { charset, end, hasMark, endsOpen } = form;
  const lines = [
    ...above,
    ...(titles.length > 0 ? [writeLine(titles, form)] : []),
    ...rows.map(({ cells, raw }) => raw ?? writeLine(cells, form)),
  ];
  const text = lines.join(end) + (endsOpen ? '' : end);
  if (charset === 'utf-16') return Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`, 'utf16le');
  if (charset === 'utf-8') return Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`);
  const bytes = toWindows1252(text);
  if (!bytes) throw new Error('the text has a character outside the character set');
  return hasMark ? Buffer.concat([UTF8_MARK, bytes]) : bytes;
}

const UTF8_MARK = Buffer.from('\ufeff');

/** Writes the cells of a line. */
export function writeLine(cells: readonly string[], { separator, quotesAll }: Form): string {
  const isQuoted = (cell: string) => quotesAll || cell.includes(separator) || cell.includes('"');
  return cells.map((cell) => (isQuoted(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator);
}
