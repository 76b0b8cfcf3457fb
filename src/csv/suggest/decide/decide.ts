import { type ColumnName, columnsOf, type LayoutName } from '../../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../../../schemas/operations.ts';
import { type ColumnRule, Profile, type Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import type { ProfilePlace } from '../../profile/check-profile.ts';
import { amountReader, compileCells } from '../../profile/cell-rules.ts';
import { parseAmount } from '../../../kernel/money.ts';
import { decideAmount } from './decide-amount.ts';
import { decideRule } from './decide-cells.ts';
import { type Chosen, decideColumns, decideLayout, shownSum, usedPlaces } from './decide-columns.ts';
import { decideForm, type Table } from './decide-form.ts';
import { decideAbove, decideGuard, decideRepeated, decideRows, decideTail, type RowRules } from './decide-rows.ts';
import { decideTotals } from './decide-totals.ts';
import type { Memo } from '../memo.ts';
import { type Answers, type Asker, asker, OPEN, type Question } from '../question.ts';
import { titleShown } from '../sources.ts';
import type { Sheet } from '../../workbook/workbook-rows.ts';

/** A sample, and the folder that its profile is for. */
export type Sample = {
  readonly bytes: Buffer;
  /** Those of `sheetsOf`, for a workbook. */
  readonly sheets?: string | readonly Sheet[] | undefined;
  readonly place: ProfilePlace;
  /** YYYY-MM-DD; cards expire after it. */
  readonly today: string;
  /** What reads files here by now. It is shown as a reason and decides nothing. */
  readonly known?: readonly KnownProfile[];
};

/** A version that a person has confirmed. */
export type KnownProfile = { readonly name: string; readonly version: number; readonly profile: Profile };

export type OpenSample = Sample & { readonly memo: Memo };

/** What is decided about a sample by some answers. */
export type Decided = {
  /** The keys of a profile, with `???` where a question is open. */
  readonly draft: Readonly<Record<string, unknown>>;
  readonly asked: readonly Question[];
  readonly open: readonly Question[];
  readonly table?: Table;
  readonly chosen: readonly Chosen[];
  /** Why no profile can be made of the sample. */
  readonly stop?: string;
};

/** Decides as much as the sample shows and the answers say. */
export function decide(sample: OpenSample, answers: Answers): Decided {
  const first = decideOnce(sample, answers, false);
  const isContradicted = answers['ignored'] !== undefined && first.open.some(({ id }) => id === 'ignored');
  return isContradicted ? decideOnce(sample, answers, true) : first;
}

function decideOnce(sample: OpenSample, answers: Answers, wantsAll: boolean): Decided {
  const ask = asker(answers);
  const table = decideForm(sample, ask);
  const undecided = { draft: { read: OPEN }, asked: ask.asked(), open: ask.open(), chosen: [] };
  if (!table) return undecided;
  if ('stop' in table) return { ...undecided, ...table };
  const layout = decideLayout(sample.place, table, ask);
  if (layout === undefined) return { ...undecided, draft: { layout: OPEN, read: table.read, head: table.head }, table };
  const chosen = decideColumns(layout, table, { ...sample, wantsAll }, ask);
  const draft = decideTable({ sample, table, layout, chosen, ask });
  return { draft, asked: ask.asked(), open: ask.open(), table, chosen };
}

type Work = {
  readonly sample: OpenSample;
  readonly table: Table;
  readonly layout: LayoutName;
  readonly chosen: readonly Chosen[];
  readonly ask: Asker;
};

/** Rows are judged once it is known which columns are sent. */
function decideTable(work: Work): Record<string, unknown> {
  const { table, layout, chosen, ask } = work;
  const above = decideAbove(table, ask);
  const head = { ...table.head, ...('above' in table.head && { above: above ?? OPEN }) };
  const isOpen = chosen.some(({ source }) => !source);
  const rules = isOpen ? allRows(table) : decideRows(table, usedPlaces(chosen), roughCents(work), ask);
  const { columns, otherSign } = decideRules(work, rules);
  const draft = { layout, read: table.read, head, columns };
  if (isOpen) return { ...draft, rows: OPEN, ignore: [OPEN] };
  const guards = (above?.length ?? 0) + rules.cells.length + rules.only.length;
  const isGuarded = guards > 0 || above === undefined || !rules.isDecided;
  const mayGoUnguarded = isGuarded || decideGuard(ask);
  const { totals, skip } = decideTotalRows(work, rules, columns, otherSign);
  const tail = table.rows.tail.length > 0 && totals.length > 0 ? decideTail(table.rows.tail, ask) : false;
  const repeated = decideRepeated(table, columns.invoice, rules.taken, ask);
  const sums = decideSums(work);
  const used = new Set([...usedPlaces(chosen), ...rules.places, ...signPlaces(table, columns)]);
  return {
    ...draft,
    read: { ...table.read, ...decideFormulas(table, used, ask) },
    rows: {
      only: rules.only.map(({ column, take, skip: left }) => ({ column, take: take ?? OPEN, skip: left ?? OPEN })),
      skip,
      totals,
      tail: tail === undefined ? OPEN : tail ? table.rows.tail.length : 0,
      otherSign,
      repeatedInvoice: repeated === undefined ? OPEN : repeated ? 'allow' : 'hold',
    },
    ignore: rules.isDecided ? decideIgnored(table, used, ask) : [OPEN],
    check: { cells: rules.isDecided && mayGoUnguarded ? rules.cells : OPEN, sums },
  };
}

function allRows({ rows }: Table): RowRules {
  return { only: [], cells: [], places: new Set(), taken: [...rows.ordinary.keys()], isDecided: false };
}

type Rules = { readonly [Column in ColumnName]?: ColumnRule };

/** Returns the rules of all columns, with `???` for what is open. */
function decideRules(
  { sample, table, layout, chosen, ask }: Work,
  { taken }: RowRules,
): { columns: Rules; otherSign: unknown } {
  let otherSign: unknown = 'hold';
  const columns = columnsOf(layout).map((column, index) => {
    const source = chosen[index]?.source?.rule;
    if (!source) return [column, { from: OPEN }];
    if (column !== 'amount')
      return [column, decideRule(column, source, { table, taken, place: sample.place, memo: sample.memo }, ask)];
    const amount = decideAmount(source, { table, taken, operation: sample.place.operation, memo: sample.memo }, ask);
    otherSign = amount.otherSign ?? OPEN;
    return [column, amount.rule];
  });
  return { columns: Object.fromEntries(columns) as Rules, otherSign };
}

/** Reads the amounts by the first form that fits, before their form is decided. */
function roughCents({ table, chosen }: Pick<Work, 'table' | 'chosen'>): readonly number[] {
  const source = chosen.find(({ match }) => match.column === 'amount')?.source;
  const [plus, minus] = (source?.places ?? []).map((place) => table.columns[place]!);
  return table.rows.ordinary.map((_, index) => (plus?.cents[index] ?? 0) - (minus?.cents[index] ?? 0));
}

function decideTotalRows(
  { sample, table, layout, ask }: Work,
  { taken }: RowRules,
  columns: Rules,
  otherSign: unknown,
) {
  const { amount, invoice } = columns;
  const title = amount?.from ?? amount?.positive;
  // What a total row states can be told only when it is decided how amounts are written.
  const isWritten = amount !== undefined && (amount.number !== undefined || amount.type !== undefined);
  const isDecided = isWritten && Profile.shape.columns.safeParse({ amount }).success;
  if (!isDecided) return { totals: table.rows.totals.length > 0 ? [OPEN] : [], skip: [] };
  const place = table.titles.findIndex((one) => one === title);
  const read = amountReader({ layout, columns: { amount } } as Profile);
  const cents = table.rows.ordinary.map(({ cells }) => {
    const found = read(cells[place]!);
    return 'cents' in found ? found.cents : 0;
  });
  const made = otherSign === 'skip' ? madeCents(table, amount) : undefined;
  const sign = FOLDER_OPERATIONS[sample.place.operation].sign;
  const payments = made ? taken.filter((index) => (made[index] ?? 0) * sign >= 0) : taken;
  return decideTotals(table, { cents, taken: payments, amount: title, invoice: invoice?.from, form: amount }, ask);
}

/** Reads the amounts as a drop would. */
function madeCents({ titles, rows }: Table, amount: ColumnRule): (number | undefined)[] {
  const empty: Rules = Object.fromEntries(columnsOf('card-code').map((column) => [column, { value: '' }]));
  const profile = { layout: 'card-code', columns: { ...empty, amount } } as Profile;
  const make = compileCells(profile, (title) => titles.indexOf(title));
  const at = columnsOf('card-code').indexOf('amount');
  return rows.ordinary.map(({ cells }) => {
    const cents = parseAmount(make(cells, () => undefined)[at]!);
    return typeof cents === 'number' ? cents : undefined;
  });
}

function decideSums({ table, ask }: Work): unknown {
  const found = table.sums.map(({ add, equals }) => {
    const rule = { add: add.map((place) => table.titles[place]!), equals: table.titles[equals]! };
    return { value: `${rule.add.join(' + ')} = ${rule.equals}`, rule };
  });
  if (found.length === 0) return [];
  const picked = ask.pick({
    id: 'sums',
    step: 'rows',
    about: 'Columns that add up',
    text: 'Which of these sums must be right in every payment?',
    evidence: [`they are right in all ${counted(table.rows.ordinary.length, 'row')}`],
    options: found.map(({ value }) => ({ value, label: value })),
    preselected: found.map(({ value }) => value),
  });
  return picked ? found.filter(({ value }) => picked.includes(value)).map(({ rule }) => rule) : OPEN;
}

/** Asks in which columns of a workbook the saved results of formulas count. */
function decideFormulas({ titles, formulas, sums }: Table, used: ReadonlySet<number>, ask: Asker): object {
  const added = new Set(sums.flatMap(({ add, equals }) => [...add, equals]));
  const columns = titles.filter((_, place) => formulas.has(place) && (used.has(place) || added.has(place)));
  if (columns.length === 0) return {};
  const picked = ask.pick({
    id: 'formulas',
    step: 'formats',
    about: 'Formulas',
    text: 'These columns hold formulas. In which of them do the saved results count? In others, a formula holds the file.',
    evidence: [],
    options: columns.map((title) => ({ value: String(title), label: titleShown(title) })),
    preselected: columns.map(String),
  });
  return { formulas: picked ? columns.filter((title) => picked.includes(String(title))) : OPEN };
}

function signPlaces({ titles }: Table, { amount }: Rules): number[] {
  return typeof amount?.sign === 'object' ? [titles.indexOf(amount.sign.by)] : [];
}

/** Asks for a look at each column that is not sent; one that is not agreed to opens the questions of all columns. */
function decideIgnored({ titles, columns }: Table, used: ReadonlySet<number>, ask: Asker): unknown {
  const ignored = columns.filter(({ place }) => !used.has(place));
  if (ignored.length === 0) return [];
  const answer = ask.pick({
    id: 'ignored',
    step: 'columns',
    about: 'Columns that are not sent',
    text: 'These columns are not sent. Is that right for each of them?',
    evidence: [],
    options: ignored.map((cells) => ({
      value: String(titles[cells.place]!),
      label: `${titleShown(titles[cells.place]!)}${cells.isMoney ? ` (sum ${shownSum(cells)})` : ''}`,
    })),
    isWhole: true,
    preselected: ignored.map(({ place }) => String(titles[place]!)),
  });
  const all: Title[] = ignored.map(({ place }) => titles[place]!);
  return answer ? all : [OPEN, ...all];
}
