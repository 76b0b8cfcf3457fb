import { type ColumnKind, COLUMNS, type ColumnName, columnsOf } from '../../../schemas/layouts.ts';
import type { Profile, Title } from '../../../schemas/profiles.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { describeFault } from '../../kernel/errors.ts';
import { maskNumber } from '../../kernel/mask.ts';
import { formatCents, parseAmount } from '../../kernel/money.ts';
import { plainDigits } from '../../kernel/plain-digits.ts';
import { hideParts, numberParts } from '../profile/mask-sender-row.ts';
import { usesOfTitles } from '../profile/profile-titles.ts';
import { titlePlaces } from '../profile/read/find-titles.ts';
import {
  type ProfileContext,
  type ProfileFindings,
  type ProfileLine,
  readProfileLines,
} from '../profile/read-profile.ts';
import { foldWord } from '../profile/words-rule.ts';
import { hiddenShown } from '../profile/check/found-fault.ts';
import { shownAmount, shownCell, shownCode, shownDate, shownNumber, shownText } from './shown.ts';

/** What a cell of the layout will hold. */
export type SentCell = { readonly title: string; readonly value: string };

/** A cell of the sender, and what it is sent as: nothing, or one or more cells. All texts are masked. */
export type PreviewCell = { readonly title: string; readonly cell: string; readonly sent: readonly SentCell[] };

export type PreviewRow = {
  readonly line: number;
  /** Why the row is shown, such as `largest`. */
  readonly why: readonly string[];
  readonly cells: readonly PreviewCell[];
  /** Cells that are the same in every row. */
  readonly constants: readonly SentCell[];
  /** Why it cannot be sent. */
  readonly faults: readonly string[];
};

/** What a profile makes of a sample. Money is integer cents. */
export type Preview = {
  readonly rows: readonly PreviewRow[];
  readonly payments: { readonly rows: number; readonly cents: number };
  readonly skipped: ProfileFindings['skipped'];
  readonly lines: ProfileFindings['lines'];
  /** Total rows as they stand, masked. */
  readonly totals: readonly string[];
};

/** Reads a sample as a drop would be read. Nothing is kept. */
export async function previewSample(
  bytes: Buffer,
  profile: Profile,
  context: ProfileContext,
  most: number,
): Promise<Preview> {
  const lines: ProfileLine[] = [];
  const steps = readProfileLines(piecesOf(bytes), profile, context);
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) lines.push(...step.value);
  const payments = lines.filter(({ made }) => made);
  return {
    rows: previewRows(profile, lines, most),
    payments: { rows: payments.length, cents: payments.reduce((sum, line) => sum + (centsOf(profile, line) ?? 0), 0) },
    skipped: step.value.skipped,
    lines: step.value.lines,
    totals: lines
      .filter(({ kind }) => kind === 'total')
      .map(({ cells }) => cells.filter(Boolean).map(shownAmount).join(' | ')),
  };
}

/** Says what a profile leaves out of a sample, a phrase each. */
export function sayLeftOut({ skipped, totals, lines }: Preview): readonly string[] {
  return [
    ...skipped.map(
      ({ name, rows, cents }) =>
        `${groupedCount(rows, 'row')} "${shownText(name)}", sum ${groupDigits(formatCents(cents))}`,
    ),
    ...(lines.blank > 0 ? [groupedCount(lines.blank, 'blank row')] : []),
    ...(lines.tail > 0 ? [`${groupedCount(lines.tail, 'line')} at the end`] : []),
    ...totals.map((cells) => `total row ${cells}`),
  ];
}

const PIECE_BYTES = 65_536;

/** Returns a sample as a source, piece by piece. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function centsOf({ layout }: Profile, { made }: ProfileLine): number | undefined {
  const cents = parseAmount(made?.[columnsOf(layout).indexOf('amount')] ?? '');
  return typeof cents === 'number' ? cents : undefined;
}

/**
 * Chooses rows that show what a profile does: first, last, longest, largest, smallest and negative, one for each word
 * and each shape of the amount, and some that do not fit. The first rows fill up.
 * @returns at most `most` rows, unless the chosen ones are more
 */
export function previewRows(profile: Profile, lines: readonly ProfileLine[], most: number): readonly PreviewRow[] {
  const payments = lines.filter(({ made }) => made);
  const titles = lines.find(({ kind }) => kind === 'titles')?.cells;
  const placeOf = titlePlaces(profile, titles);
  const chosen = chooseRows(profile, payments, placeOf);
  for (const payment of payments) {
    if (chosen.size >= most) break;
    if (!chosen.has(payment)) chosen.set(payment, []);
  }
  const show = rowShower(profile, placeOf);
  return [...chosen].toSorted(([a], [b]) => a.line - b.line).map(([line, why]) => show(line, why));
}

type PlaceOf = (title: Title) => number;

/** Rows that do not fit are shown up to this number; all of them are listed as faults. */
const MOST_UNFIT = 5;

function chooseRows(profile: Profile, payments: readonly ProfileLine[], placeOf: PlaceOf): Map<ProfileLine, string[]> {
  const chosen = new Map<ProfileLine, string[]>();
  const partsOf = numberParts(usesOfTitles(profile), placeOf);
  const choose = (line: ProfileLine | undefined, why: string) => {
    if (line) chosen.set(line, [...(chosen.get(line) ?? []), why]);
  };
  const cents = (line: ProfileLine) => centsOf(profile, line) ?? 0;
  const greatest = (measure: (line: ProfileLine) => number) =>
    payments.reduce<ProfileLine | undefined>(
      (best, line) => (best && measure(best) >= measure(line) ? best : line),
      undefined,
    );
  choose(payments[0], 'first');
  choose(payments.at(-1), 'last');
  choose(
    greatest(({ cells }) => cells.join('').length),
    'longest',
  );
  choose(greatest(cents), 'largest');
  choose(
    greatest((line) => -cents(line)),
    'smallest',
  );
  choose(
    payments.find((line) => cents(line) < 0),
    'negative',
  );
  for (const title of wordTitles(profile)) {
    for (const [word, line] of firstOfEach(payments, ({ cells }) => foldWord(cells[placeOf(title)] ?? ''))) {
      choose(line, `word "${shownText(hideParts(word, partsOf(line.cells)))}"`);
    }
  }
  for (const title of amountTitles(profile)) {
    for (const [shape, line] of firstOfEach(payments, ({ cells }) => shapeOf(cells[placeOf(title)] ?? ''))) {
      if (shape !== '') choose(line, `amount like ${shownText(shape)}`);
    }
  }
  for (const line of payments.filter(({ faults }) => faults.length > 0).slice(0, MOST_UNFIT))
    choose(line, 'does not fit');
  return chosen;
}

function wordTitles({ columns, rows }: Profile): Title[] {
  const rules = Object.values(columns);
  return [
    ...rows.only.map(({ column }) => column),
    ...rules.flatMap(({ words, from }) => (words && from !== undefined ? [from] : [])),
    ...rules.flatMap(({ sign }) => (typeof sign === 'object' ? [sign.by] : [])),
  ];
}

function amountTitles({ columns: { amount } }: Profile): Title[] {
  return [amount?.from, amount?.positive, amount?.negative].filter((title) => title !== undefined);
}

/** Returns an amount with its digits alike: `9,999.99` for any with a group mark. */
function shapeOf(cell: string): string {
  return plainDigits(cell).trim().replace(/\d/g, '9').replace(/9+/, '9');
}

function firstOfEach(
  lines: readonly ProfileLine[],
  keyOf: (line: ProfileLine) => string,
): ReadonlyMap<string, ProfileLine> {
  const first = new Map<string, ProfileLine>();
  for (const line of lines) if (!first.has(keyOf(line))) first.set(keyOf(line), line);
  return first;
}

/** Values that are made anew, so that nothing of the sender is in them but a figure. */
const PLAIN: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['date', 'expiry', 'amount']);
const CODES: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['invoice', 'customerCode']);

function rowShower(profile: Profile, placeOf: PlaceOf) {
  const uses = usesOfTitles(profile);
  const layout = columnsOf(profile.layout);
  const constants = layout.filter((column) => profile.columns[column]?.value !== undefined);
  const partsOf = numberParts(uses, placeOf);

  function sentCell(column: ColumnName, made: readonly string[], parts: readonly string[]): SentCell {
    const { kind, title } = COLUMNS[column];
    const value = made[layout.indexOf(column)] ?? '';
    if (kind === 'cardNumber' || kind === 'accountNumber') return { title, value: maskNumber(value) };
    if (PLAIN.has(kind)) return { title, value };
    return { title, value: (CODES.has(kind) ? shownCode : shownText)(hideParts(value, parts)) };
  }

  return ({ line, cells, made = [], faults }: ProfileLine, why: readonly string[]): PreviewRow => {
    const parts = partsOf(cells);
    const isRead = made.length > 0 && faults.length === 0;
    return {
      line,
      why,
      cells: [...uses].map(([title, { columns, isSecret }]) => {
        const text = cells[placeOf(title)] ?? '';
        return {
          title: typeof title === 'number' ? `column ${title}` : shownText(title),
          cell: isSecret ? shownNumber(text) : showPlain(hideParts(text, parts), columns, isRead),
          sent: columns.map((column) => sentCell(column, made, parts)),
        };
      }),
      constants: constants.map((column) => sentCell(column, made, parts)),
      faults: faults.map((fault) => describeFault(fault)),
    };
  };
}

/** @param isRead whether the profile has read the row, so that a date or amount is one however it is written */
function showPlain(cell: string, columns: readonly ColumnName[], isRead: boolean): string {
  const [kind, ...others] = columns.map((column) => COLUMNS[column].kind);
  if (kind === undefined) return shownCell(cell);
  if (others.length > 0) return shownText(cell);
  // What follows a date may be dropped unread.
  if (isRead && PLAIN.has(kind) && !/\s/.test(cell.trim())) return hiddenShown(cell.trim());
  if (kind === 'amount') return shownAmount(cell);
  if (PLAIN.has(kind)) return shownDate(cell);
  return CODES.has(kind) ? shownCode(cell) : shownText(cell);
}
