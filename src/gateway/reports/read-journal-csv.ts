import { splitCells } from '../../csv/read/split-cells.ts';
import { lineSplitter } from '../../csv/read/split-lines.ts';
import { maskNumber } from '../../kernel/mask.ts';
import { hideWholeNumbers } from './hide-whole-numbers.ts';
import { type LineField, type LineSource, type LineTexts, makeJournalLine } from './make-journal-line.ts';
import type { JournalLine } from '../answers.ts';

type ReadCsv =
  /** `csv` is the text without whole numbers. */
  | { kind: 'read'; entries: readonly JournalLine[]; csv: string }
  /** The reason quotes nothing but column titles. */
  | { kind: 'unreadable'; why: string };

/**
 * Reads the transaction report of a day or range by its column titles, in any order. Unknown columns are ignored. One
 * unreadable line makes the whole report unreadable, because a gap would look like proof that a payment was not booked.
 * @param text the service's file; an empty one has no lines
 */
export function readJournalCsv(text: string, source: LineSource): ReadCsv {
  const [titles, ...rows] = splitCells(linesOf(text));
  if (!titles) return { kind: 'read', entries: [], csv: '' };
  const places = findColumns(titles.cells.map((title) => title.trim().toLowerCase()));
  if (typeof places === 'string') return { kind: 'unreadable', why: places };
  const bad = rows.find(({ fault, cells }) => fault || cells.length < titles.cells.length);
  if (bad) return { kind: 'unreadable', why: `line ${bad.line} of the report is not as its titles say` };
  const lines = rows.map(({ cells }) => takeTexts(cells, places));
  return { kind: 'read', entries: lines.map((line) => makeJournalLine(line, source)), csv: hideNumbers(text, lines) };
}

function linesOf(text: string) {
  const splitter = lineSplitter();
  const lines = splitter.push(text.replace(/^\ufeff/, ''));
  const last = splitter.end();
  return (last ? [...lines, last] : lines).filter((line) => line.tooLong || line.text.trim() !== '');
}

/** The titles of both reports for each field, and whether a line says enough without it. */
const COLUMNS: Readonly<Record<LineField, { readonly titles: readonly string[]; readonly isOptional?: true }>> = {
  transactionId: { titles: ['Transaction ID'] },
  invoice: { titles: ['Invoice', 'Invoice Number'] },
  at: { titles: ['Date', 'Date Time'] },
  customerCode: { titles: ['Customer Code'] },
  paymentMethod: { titles: ['CCType', 'Account Type', 'Method of Payment'], isOptional: true },
  amount: { titles: ['Total', 'Amount'] },
  result: { titles: ['Result'] },
  number: { titles: ['Card Number', 'Account Number'], isOptional: true },
  comment: { titles: ['Comment'], isOptional: true },
};

type Places = ReadonlyMap<LineField, number>;

/** @returns the position of each column, or why these are not the titles of a transaction report */
function findColumns(present: readonly string[]): Places | string {
  const places = new Map<LineField, number>();
  for (const [field, { titles, isOptional }] of Object.entries(COLUMNS) as [LineField, (typeof COLUMNS)[LineField]][]) {
    const known = titles.map((title) => title.toLowerCase());
    const found = present.flatMap((title, place) => (known.includes(title) ? [place] : []));
    if (found.length > 1) return `the report has more than one column ${titles.join(' or ')}`;
    if (found[0] !== undefined) places.set(field, found[0]);
    else if (!isOptional) return `the report has no column ${titles.join(' or ')}`;
  }
  return places;
}

function takeTexts(cells: readonly string[], places: Places): LineTexts {
  const take = (field: LineField) => {
    const place = places.get(field);
    return withoutGuard(place === undefined ? '' : (cells[place] ?? '').trim(), field);
  };
  return Object.fromEntries(Object.keys(COLUMNS).map((field) => [field, take(field as LineField)])) as LineTexts;
}

/** Removes the apostrophe that keeps a spreadsheet from calculating with a number or running a formula. */
function withoutGuard(text: string, field: LineField): string {
  if (field === 'number') return text.replace(/^'/, '');
  return field === 'comment' || field === 'paymentMethod' ? text.replace(/^'(?=\s*[=+\-@])/, '') : text;
}

/** Begins at the shortest account number; for the upper end see `hideWholeNumbers`. */
const NUMBER = /\d(?:[ -]?\d){3,60}/g;

/** Masks numbers that the service left unmasked. They are found by their column, whatever they look like. */
function hideNumbers(text: string, lines: readonly LineTexts[]): string {
  const whole = new Set(lines.map(({ number }) => number).filter((number) => !number.includes('*')));
  return hideWholeNumbers(text).replace(NUMBER, (run) => (whole.has(run) ? maskNumber(run) : run));
}
