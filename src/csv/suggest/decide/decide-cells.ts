import { COLUMNS, type ColumnName } from '../../../../schemas/layouts.ts';
import { type ColumnRule, RULE_KEYS, type Title } from '../../../../schemas/profiles.ts';
import { acceptsMop, SERVER_MOPS } from '../../../../schemas/restrictions.ts';
import { counted } from '../../../kernel/counted.ts';
import type { ProfilePlace } from '../../profile/check-profile.ts';
import { needed } from '../../profile/used-cell.ts';
import { foldWord } from '../../profile/words-rule.ts';
import type { Table } from './decide-form.ts';
import { cellAt, wordsIn } from './decide-rows.ts';
import { accountTypeOf, mopOf } from '../known-words.ts';
import type { Memo } from '../memo.ts';
import { type Asker, OPEN } from '../question.ts';
import { shownDate, shownText } from '../shown.ts';
import { titleShown } from '../sources.ts';
import { hiddenShown } from '../../profile/check/found-fault.ts';
import { compileDateForm, compileExpiryForm, type DateForm } from '../../profile/date-form.ts';
import { fittingDateForms, fittingExpiryForms } from '../../profile/fitting-forms.ts';

type Sample = {
  readonly table: Table;
  readonly taken: readonly number[];
  readonly place: ProfilePlace;
  readonly memo: Memo;
};

/** Completes the rule of any column but the amount with how its cells are written. */
export function decideRule(
  column: ColumnName,
  source: ColumnRule,
  sample: Sample,
  ask: Asker,
): Record<string, unknown> {
  const { kind } = COLUMNS[column];
  const { table } = sample;
  const cells = cellsOf(source, sample);
  if (source.value !== undefined) return source;
  if (kind === 'date' || kind === 'expiry') {
    if (source.from === undefined) return source;
    if (table.types[table.titles.indexOf(source.from)] === 'date') {
      const hasTime = kind === 'date' && cells.some((cell) => cell.includes(' '));
      return { ...source, type: 'date', ...(hasTime && { time: 'drop' }) };
    }
    return { ...source, ...decideDateForm(kind, cells.filter(isFilled), sample.memo, ask) };
  }
  if (kind === 'mop' || kind === 'accountType') {
    return { ...source, words: decideWords(column, needed(source.from, 'from'), sample, ask) };
  }
  return { ...source, ...writtenAs(column, source, cells, sample) };
}

function isFilled(cell: string): boolean {
  return cell !== '';
}

/** Returns the cells that a source reads in all payments. */
function cellsOf({ from, join = [] }: ColumnRule, { table, taken }: Sample): string[] {
  const titles = [from, ...join.map((part) => ('from' in part ? part.from : undefined))].filter(
    (title) => title !== undefined,
  );
  const places = titles.map((title) => table.titles.indexOf(title));
  return places.flatMap((place) => taken.map((index) => cellAt(table, index, place)));
}

/** What the cells show without a doubt: blanks in numbers, spreadsheet texts, empty cells, and the shape of codes. */
function writtenAs(column: ColumnName, source: ColumnRule, cells: readonly string[], { table }: Sample): ColumnRule {
  const keys = RULE_KEYS[COLUMNS[column].kind];
  const isText = cells.some((cell) => cell.startsWith('="'));
  const strip = (['space', 'dash'] as const).filter((name) => cells.some((cell) => STRIPPED[name].test(cell)));
  const isUntitled = table.head['titles'] === 'none';
  const isCode = COLUMNS[column].kind === 'invoice' || COLUMNS[column].kind === 'customerCode';
  return {
    ...(keys.includes('strip') && strip.length > 0 && { strip }),
    ...(keys.includes('excelText') && isText && { excelText: 'accept' }),
    ...(keys.includes('empty') && source.from !== undefined && cells.includes('') && { empty: 'keep' }),
    ...(isUntitled && isCode && { shape: shapeOf(cells.filter(isFilled)) }),
  };
}

const STRIPPED = { space: /\d[\s\u00a0\u202f]+\d/, dash: /\d[-\u2010-\u2013]\d/ } as const;

/** Without titles, the shape of a code shows that the columns have moved. */
function shapeOf(cells: readonly string[]): ColumnRule['shape'] {
  const lengths = cells.map((cell) => [...cell].length);
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  const [, start = ''] = /^(\D{1,10})\d+$/.exec(cells[0] ?? '') ?? [];
  const isCommon =
    start !== '' && cells.every((cell) => cell.startsWith(start) && /^\d+$/.test(cell.slice(start.length)));
  return {
    length: least === most ? least : `${least}..${most}`,
    ...(isCommon && { starts: [start], rest: 'digits' }),
    ...(cells.every((cell) => /^\d+$/.test(cell)) && { only: 'digits' }),
  };
}

const UNLISTED = '(not listed)';

/** Asks for the target of every word, also of the obvious ones. */
function decideWords(column: ColumnName, from: Title, { table, taken, place }: Sample, ask: Asker): unknown {
  const at = table.titles.indexOf(from);
  const words = wordsIn(table, at, taken);
  const targets = column === 'mop' ? mopsOf(place) : ['CHECKING', 'SAVING'];
  const known = column === 'mop' ? mopOf : accountTypeOf;
  const answer = ask.sort({
    id: `words:${column}`,
    step: 'words',
    about: `Words of ${COLUMNS[column].title}`,
    text: `What is each word of ${titleShown(from)} sent as? Any other word will hold the file.`,
    evidence: [],
    options: [
      ...targets.map((value) => ({ value, label: value })),
      { value: UNLISTED, label: 'not listed: it holds the file' },
    ],
    words: words.map((value) => {
      const count = taken.filter((index) => foldWord(cellAt(table, index, at)) === foldWord(value)).length;
      return { value, label: `${shownText(value) || 'empty'} (${counted(count, 'row')})` };
    }),
    preselected: Object.fromEntries(
      words.flatMap((word) => (targets.includes(known(word) ?? '') ? [[word, known(word)!]] : [])),
    ),
  });
  if (!answer) return OPEN;
  return Object.fromEntries(words.flatMap((word) => (answer[word] === UNLISTED ? [] : [[word, answer[word]!]])));
}

function mopsOf({ account: { server, currency } }: ProfilePlace): readonly string[] {
  return SERVER_MOPS[server].filter((mop) => acceptsMop(server, currency, mop));
}

const KINDS = {
  date: { about: 'Form of the date', fitting: fittingDateForms, compile: compileDateForm, example: 'DD.MM.YYYY' },
  expiry: { about: 'Form of the expiry', fitting: fittingExpiryForms, compile: compileExpiryForm, example: 'MM/YY' },
} as const;

/**
 * Decides how a date or expiry is written. It is asked when more than one form fits all cells, or none.
 * @param cells the filled cells of the payments
 */
function decideDateForm(
  kind: 'date' | 'expiry',
  cells: readonly string[],
  memo: Memo,
  ask: Asker,
): Partial<ColumnRule> {
  const { about, fitting, compile, example } = KINDS[kind];
  const forms = memo(`${kind} ${cells.join('\n')}`, () => fitting(cells));
  if (forms.length === 1) return forms[0]!;
  if (forms.length === 0) {
    const format = ask.write({
      id: `${kind}-format`,
      step: 'formats',
      about,
      text: `No form fits all cells. How is it written? For example ${example}.`,
      evidence: cells.slice(0, 3).map(shownDate),
    });
    return { format: format?.trim() ?? OPEN };
  }
  const told = tellApart(cells, forms, compile);
  const answer = ask.choose({
    id: `${kind}-format`,
    step: 'formats',
    about,
    text: `What is ${hiddenShown(told)}?`,
    evidence: [],
    options: forms.map((form) => ({
      value: formValue(form),
      label: `${spelled(compile(form)!(told))} (${formValue(form)})`,
    })),
  });
  return forms.find((form) => formValue(form) === answer) ?? { format: OPEN };
}

/** Returns the form as an answer names it, such as `DD MMM YYYY en`. */
function formValue({ format = '', language, time }: DateForm): string {
  return [format, ...(language ? [language] : []), ...(time === 'drop' ? ['and a time'] : [])].join(' ');
}

/** Returns the cell that the forms read most differently. */
function tellApart(
  cells: readonly string[],
  forms: readonly DateForm[],
  compile: (form: DateForm) => ReturnType<typeof compileDateForm>,
): string {
  const readers = forms.map((form) => compile(form)!);
  const differs = (cell: string) => new Set(readers.map((read) => read(cell))).size;
  return cells.toSorted((a, b) => differs(b) - differs(a))[0]!;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Spells `06/15/2026` or `06/26`. */
function spelled(made: string | object): string {
  if (typeof made !== 'string') return 'no date';
  const [month = '', day = '', year] = made.split('/');
  const name = MONTHS[Number(month) - 1]!;
  return year === undefined ? `${name} 20${day}` : `${Number(day)} ${name} ${year}`;
}
