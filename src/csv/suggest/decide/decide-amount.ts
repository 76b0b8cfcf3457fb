import type { FolderOperation } from '../../../../schemas/operations.ts';
import type { ColumnRule, Profile, Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import type { NumberForm } from '../../profile/number-form.ts';
import { foldWord } from '../../profile/words-rule.ts';
import type { Table } from './decide-form.ts';
import { cellAt, wordsIn } from './decide-rows.ts';
import { numberFormsOf } from '../kinds-of-columns.ts';
import { signOf } from '../known-words.ts';
import type { Memo } from '../memo.ts';
import { type Asker, OPEN } from '../question.ts';
import { shownAmount, shownText } from '../shown.ts';
import { titleShown } from '../sources.ts';

type Payments = {
  readonly table: Table;
  readonly taken: readonly number[];
  readonly operation: FolderOperation;
  readonly memo: Memo;
};

type AmountRule = { readonly rule: Record<string, unknown>; readonly otherSign?: unknown };

/** Decides how the amount is written, and what a negative one means for the folder. */
export function decideAmount(source: ColumnRule, { table, taken, operation, memo }: Payments, ask: Asker): AmountRule {
  const cells = amountCells(table, source, taken);
  const rule = { ...source, ...decideWriting({ table, source, cells, memo }, ask) };
  if (source.positive !== undefined) {
    const { otherSign } = decideNegative(bothSigns(table, source, taken), operation, { ask, mayTurn: false });
    return { rule, otherSign };
  }
  const by = decideSignColumn(table, ask);
  if (by === undefined) return { rule: { ...rule, sign: OPEN } };
  if (by !== OWN_SIGN) {
    const words = decideSignWords(table, by, taken, ask);
    if (!words) return { rule: { ...rule, sign: OPEN } };
    const signed = signedBy(table, { source, by, negative: words.negative }, taken);
    const { otherSign } = decideNegative(signed, operation, { ask, mayTurn: false });
    return { rule: { ...rule, sign: { by, ...words } }, otherSign };
  }
  const { sign, otherSign } = decideNegative(cells, operation, { ask, mayTurn: true });
  return { rule: { ...rule, sign }, otherSign };
}

type Written = Pick<Payments, 'table' | 'memo'> & { readonly source: ColumnRule; readonly cells: readonly string[] };

/** Number cells of a workbook need no form. */
function decideWriting({ table, source, cells, memo }: Written, ask: Asker): Record<string, unknown> {
  if (placesOf(table, source).every((place) => table.types[place] === 'number')) return { type: 'number' };
  const totals = totalCells(table, source);
  const forms = memo(`number ${[...cells, '', ...totals].join('\n')}`, () => numberFormsOf(cells, totals));
  return { number: decideNumber(cells, forms, ask) };
}

function placesOf({ titles }: Table, { from, positive, negative }: ColumnRule): number[] {
  return [from, positive, negative].flatMap((title) => (title === undefined ? [] : [titles.indexOf(title)]));
}

function amountCells(table: Table, source: ColumnRule, taken: readonly number[]): string[] {
  const { nothing = [] } = source;
  return placesOf(table, source)
    .flatMap((place) => taken.map((index) => cellAt(table, index, place)))
    .filter((cell) => cell !== '' && !nothing.includes(cell));
}

/** Cells of the column that is taken away count as negative. */
function bothSigns(table: Table, { positive, negative, nothing }: ColumnRule, taken: readonly number[]): string[] {
  const cellsOf = (from?: Title) => amountCells(table, { ...(from !== undefined && { from }), nothing }, taken);
  return [...cellsOf(positive), ...cellsOf(negative).map(negated)];
}

type SignedBy = { readonly source: ColumnRule; readonly by: Title; readonly negative: readonly string[] };

function signedBy(table: Table, { source, by, negative }: SignedBy, taken: readonly number[]): string[] {
  const [place, words] = [table.titles.indexOf(by), new Set(negative.map(foldWord))];
  return taken.flatMap((index) => {
    const cells = amountCells(table, source, [index]);
    return words.has(foldWord(cellAt(table, index, place))) ? cells.map(negated) : cells;
  });
}

function negated(cell: string): string {
  return /[1-9]/.test(cell) ? `-${cell}` : cell;
}

function totalCells({ titles, rows }: Table, { from, positive }: ColumnRule): string[] {
  const place = titles.findIndex((title) => title === (from ?? positive));
  return rows.totals.flatMap(({ row }) => (row.cells.length === titles.length ? [row.cells[place]!.trim()] : []));
}

/** All pairs of marks, for amounts that no form fits. */
const ALL_FORMS: readonly NumberForm[] = (['.', ','] as const).flatMap((decimal) =>
  (['none', ',', '.', 'space', 'apostrophe'] as const)
    .filter((group) => group !== decimal)
    .map((group) => ({ decimal, group, places: 2, whole: 'refuse', negative: ['minus'], unit: 'money' }) as const),
);

function decideNumber(cells: readonly string[], fitting: readonly NumberForm[], ask: Asker): unknown {
  const forms = fitting.length > 0 ? fitting : ALL_FORMS;
  const form = forms.length === 1 ? forms[0] : askForm(forms, cells, fitting.length > 0, ask);
  if (!form) return OPEN;
  const negative = form.negative.length === 0 ? ['minus'] : form.negative;
  if (form.unit === 'cents') return { unit: 'cents', digits: form.digits, negative };
  const { decimal, group, places, symbol } = form;
  const whole = decimal === 'none' ? 'allow' : askWhole(form, cells, ask);
  return { decimal, group, places, whole, ...(symbol !== undefined && { symbol }), negative };
}

function askForm(
  forms: readonly NumberForm[],
  cells: readonly string[],
  fits: boolean,
  ask: Asker,
): NumberForm | undefined {
  const answer = ask.choose({
    id: 'number',
    step: 'formats',
    about: 'Marks of the amount',
    text: fits
      ? 'The sample does not show how amounts are written. How would a larger one be?'
      : 'No form fits all amounts. How would one be written?',
    evidence: cells.slice(0, 3).map(shownAmount),
    options: forms.map((form) => ({ value: writing(form), label: labelOf(form) })),
    ...preferred(forms),
  });
  return forms.find((form) => writing(form) === answer);
}

/** The usual group mark, if only that is open. */
function preferred(forms: readonly NumberForm[]): { preselected?: string } {
  const [first] = forms;
  const isDecided = new Set(forms.map(({ decimal }) => decimal)).size === 1;
  const usual = forms.find(
    ({ decimal, group }) => (decimal === '.' && group === ',') || (decimal === ',' && group === '.'),
  );
  return isDecided && first?.decimal !== 'none' && usual ? { preselected: writing(usual) } : {};
}

const GROUP_MARKS = { ',': ',', '.': '.', space: ' ', apostrophe: "'", none: '' } as const;

/** Returns how a form writes 1234.56, or 1234 without decimals. */
export function writing({
  unit,
  digits = 0,
  decimal,
  group,
}: Pick<NumberForm, 'unit' | 'digits' | 'decimal' | 'group'>): string {
  if (unit === 'cents') return '123456'.padStart(digits, '0');
  return `1${GROUP_MARKS[group]}234${decimal === 'none' || decimal === undefined ? '' : `${decimal}56`}`;
}

function labelOf(form: NumberForm): string {
  if (form.unit === 'cents') return `${writing(form)} for 1234.56, without a mark`;
  return form.decimal === 'none' ? `${writing(form)}, never with decimals` : writing(form);
}

function askWhole(form: NumberForm, cells: readonly string[], ask: Asker): unknown {
  const isWhole = form.whole === 'allow';
  const answer = ask.confirm({
    id: 'whole',
    step: 'formats',
    about: 'Amounts without decimals',
    text: `May an amount come without decimals, such as ${writing({ ...form, decimal: 'none' })}? Otherwise it holds the file.`,
    evidence: isWhole
      ? cells
          .filter((cell) => !/[.,]\d{1,2}\D*$/.test(cell))
          .slice(0, 3)
          .map(shownAmount)
      : ['all amounts have decimals'],
    preselected: isWhole ? 'yes' : 'no',
  });
  return answer === undefined ? OPEN : answer ? 'allow' : 'refuse';
}

const OWN_SIGN = '(own sign)';

/** Asks whether a column such as Dr/Cr gives the sign; without such a column there is nothing to ask. */
function decideSignColumn(table: Table, ask: Asker): Title | undefined {
  const tellers = table.columns.filter(
    ({ words }) => words.size > 0 && [...words.keys()].every((word) => signOf(word) !== undefined),
  );
  if (tellers.length === 0) return OWN_SIGN;
  const options = tellers.map(({ place, words }) => ({
    value: String(table.titles[place]!),
    label: `${titleShown(table.titles[place]!)}: ${[...words.keys()].map(shownText).join(', ')}`,
  }));
  const answer = ask.choose({
    id: 'sign',
    step: 'formats',
    about: 'Sign of the amount',
    text: 'What tells whether an amount is positive or negative?',
    evidence: [],
    options: [{ value: OWN_SIGN, label: 'its own sign' }, ...options],
  });
  return answer === OWN_SIGN ? OWN_SIGN : table.titles.find((title) => String(title) === answer);
}

function decideSignWords(table: Table, by: Title, taken: readonly number[], ask: Asker) {
  const words = wordsIn(table, table.titles.indexOf(by), taken);
  const answer = ask.sort({
    id: 'sign-words',
    step: 'formats',
    about: 'Sign of the amount',
    text: `What does each word of ${titleShown(by)} make of the amount? Any other word will hold the file.`,
    evidence: [],
    options: [
      { value: 'positive', label: 'positive' },
      { value: 'negative', label: 'negative' },
    ],
    words: words.map((value) => ({ value, label: shownText(value) || 'empty' })),
    preselected: Object.fromEntries(words.flatMap((word) => (signOf(word) ? [[word, signOf(word)!]] : []))),
  });
  if (!answer) return undefined;
  const of = (sign: string) => words.filter((word) => answer[word] === sign);
  return { positive: of('positive'), negative: of('negative') };
}

type Negative = {
  readonly sign: NonNullable<ColumnRule['sign']> | typeof OPEN;
  readonly otherSign: Profile['rows']['otherSign'] | typeof OPEN;
};

const WORDS = {
  card: { other: 'negative', made: 'charged' },
  'ach-charge': { other: 'negative', made: 'charged' },
  'ach-refund': { other: 'positive', made: 'refunded' },
} as const satisfies Record<FolderOperation, object>;

/** Asks what an amount of the other sign means for this folder; nothing about a sign goes without saying. */
function decideNegative(
  cells: readonly string[],
  operation: FolderOperation,
  { ask, mayTurn }: { ask: Asker; mayTurn: boolean },
): Negative {
  const { other, made } = WORDS[operation];
  const negative = cells.filter((cell) => /^\W*[-(\u2212]|[-\u2212]\W*$/u.test(cell));
  const example = negative[0] ?? '-25.00';
  const answer = ask.choose({
    id: 'negative',
    step: 'formats',
    about: 'Negative amounts',
    text: `What is ${shownAmount(example)} in this folder, where amounts are ${made}?`,
    evidence: [
      negative.length === 0
        ? 'no amount is negative here'
        : `${counted(negative.length, 'amount')} of ${cells.length} ${negative.length === 1 ? 'is' : 'are'} negative here`,
    ],
    options: [
      { value: 'hold', label: `signs are as written; a ${other} amount is a fault and holds the file` },
      { value: 'skip', label: `signs are as written; a row with a ${other} amount is left out, and that is said` },
      ...(mayTurn
        ? [
            { value: 'turn', label: 'all signs are turned: -25.00 is 25.00; the other sign is a fault' },
            { value: 'turn-skip', label: 'all signs are turned: -25.00 is 25.00; rows of the other sign are left out' },
          ]
        : []),
    ],
    ...(negative.length === 0 && operation !== 'ach-refund' && { preselected: 'hold' }),
  });
  if (answer === undefined) return { sign: OPEN, otherSign: OPEN };
  return {
    sign: answer.startsWith('turn') ? 'negate' : 'as-written',
    otherSign: answer.endsWith('skip') ? 'skip' : 'hold',
  };
}
