import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import { startMatcher, wordLookup, wordMatcher } from '../words-rule.ts';
import { titleMatcher } from './find-titles.ts';

/** What a row behind the titles is. The cells of a row that is `taken`, `skipped` or `odd` are as many as the titles. */
export type RowKind =
  | { readonly kind: 'taken' | 'blank' | 'tail' }
  /** A payment with a word that the profile does not list. */
  | { readonly kind: 'odd'; readonly title: Title }
  | { readonly kind: 'total'; readonly rule: number }
  | { readonly kind: 'skipped'; readonly by: string; readonly isOnly: boolean }
  | { readonly kind: 'misplaced'; readonly detail: string }
  | { readonly kind: 'miscounted'; readonly expected: number };

type Parts = {
  readonly placeOf: (title: Title) => number;
  /** The titles of the file; undefined without titles. */
  readonly titles: readonly string[] | undefined;
  readonly width: number;
};

type Test = (cells: readonly string[]) => boolean;

const TAKEN: RowKind = { kind: 'taken' };
const BLANK: RowKind = { kind: 'blank' };
const TAIL: RowKind = { kind: 'tail' };

/**
 * Returns a function that tells the kind of each row, in the order of the file: blank, total row, left out, payment.
 * Behind the last total row there are only lines with one filled cell.
 */
export function rowSorter({ rows }: Profile, { placeOf, titles, width }: Parts): (cells: readonly string[]) => RowKind {
  const totals = rows.totals.map((rule) => ({ ...rule, isTotal: conditionTest(rule.when, placeOf) }));
  const skips = rows.skip.map(({ name, when }) => ({
    kind: skipped(name, false),
    isSkipped: conditionTest(when, placeOf),
  }));
  const only = rows.only.map((rule) => onlyTest(rule, placeOf));
  const repeatsTitles = titles && repeatTest(titles);
  const open = new Set(totals.flatMap(({ must }, rule) => (must === 'once' ? [rule] : [])));
  const hasFinal = open.size > 0;
  let isBehindFinal = false;
  let hasTotal = totals.length === 0;
  let tailLines = 0;

  return (cells) => {
    const filled = countFilled(cells);
    if (filled === 0) return rows.blank === 'refuse' ? misplaced('a blank row') : BLANK;
    if (repeatsTitles?.(cells)) return misplaced('the titles stand there again');
    const rule = totals.length === 0 ? -1 : findTotal(cells);
    if (rule >= 0) return takeTotal(rule, cells);
    if (tailLines > 0 || (hasFinal && open.size === 0)) return takeTail(filled);
    const skip = skips.length > 0 && cells.length === width ? findSkip(cells) : undefined;
    if (skip) return skip.kind;
    if (filled === 1 && hasTotal && !hasFinal && rows.tail > 0) return takeTail(filled);
    return cells.length === width ? sortRow(cells) : { kind: 'miscounted', expected: width };
  };

  // Apart, because a function with closures takes memory for each row.
  function findTotal(cells: readonly string[]): number {
    return totals.findIndex(({ isTotal }) => isTotal(cells));
  }

  function findSkip(cells: readonly string[]): (typeof skips)[number] | undefined {
    return skips.find(({ isSkipped }) => isSkipped(cells));
  }

  function takeTotal(rule: number, cells: readonly string[]): RowKind {
    const expected = totals[rule]!.cells ?? width;
    if (cells.length !== expected) return { kind: 'miscounted', expected };
    hasTotal = true;
    isBehindFinal ||= totals[rule]!.must === 'once';
    open.delete(rule);
    return { kind: 'total', rule };
  }

  function takeTail(filled: number): RowKind {
    if (filled > 1) return misplaced(tailLines > 0 ? 'a row behind the last lines' : 'a row behind the total row');
    tailLines += 1;
    if (tailLines <= rows.tail) return TAIL;
    return misplaced(
      rows.tail === 0 ? 'a line behind the total row' : `more than ${counted(rows.tail, 'line')} at the end`,
    );
  }

  function sortRow(cells: readonly string[]): RowKind {
    for (const kindOf of only) {
      const kind = kindOf(cells);
      if (kind === TAKEN) continue;
      return kind.kind === 'odd' && isBehindFinal ? misplaced('a row behind the total row') : kind;
    }
    return isBehindFinal ? misplaced('a payment behind the total row') : TAKEN;
  }
}

function misplaced(detail: string): RowKind {
  return { kind: 'misplaced', detail };
}

function skipped(by: string, isOnly: boolean): RowKind {
  return { kind: 'skipped', by, isOnly };
}

/** Counts filled cells, at most two. */
function countFilled(cells: readonly string[]): number {
  let filled = 0;
  for (const cell of cells) {
    if (cell === '' || cell.trim() === '') continue;
    if (filled === 1) return 2;
    filled = 1;
  }
  return filled;
}

function repeatTest(titles: readonly string[]): Test {
  const isFirst = wordMatcher(titles[0] ?? '');
  const areTitles = titleMatcher(titles, 'exact');
  return (cells) => isFirst(cells[0]!) && areTitles(cells);
}

type When = Profile['rows']['totals'][number]['when'];

function conditionTest(when: When, placeOf: Parts['placeOf']): Test {
  const tests = [when].flat().map(({ column, is, starts }): Test => {
    const place = placeOf(column);
    const holds = is === undefined ? (starts === undefined ? isEmpty : startMatcher(starts)) : wordMatcher(is);
    return (cells) => place < cells.length && holds(cells[place]!);
  });
  const [only] = tests;
  return tests.length === 1 ? only! : (cells) => tests.every((test) => test(cells));
}

function isEmpty(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}

function onlyTest(
  { column, take, skip }: Profile['rows']['only'][number],
  placeOf: Parts['placeOf'],
): (cells: readonly string[]) => RowKind {
  const odd: RowKind = { kind: 'odd', title: column };
  const name = typeof column === 'number' ? `column ${column}` : column;
  const place = placeOf(column);
  const words = new Map([
    ...take.map((word) => [word, TAKEN] as const),
    ...skip.map((word) => [word, skipped(`${name}: ${word || 'empty'}`, true)] as const),
  ]);
  const kindOf = wordLookup(words);
  return (cells) => kindOf(cells[place]!) ?? odd;
}
