import { LARGEST_TOTAL_CENTS } from '../../kernel/money.ts';
import { compileDateForm, compileExpiryForm, type DateForm, LANGUAGES, type ReadDate } from './date-form.ts';
import { compileNumberForm, type NumberForm } from './number-form.ts';
import { type CellCare, soundCell } from './used-cell.ts';

/**
 * Finds the forms that fit all filled cells of a column, for the proposal of a profile. It only lists candidates; the
 * readers of a drop decide. Without cells nothing fits, because nothing is known.
 */

const DECIMALS = ['.', ',', 'none'] as const;
const GROUPS = ['none', ',', '.', 'space', 'apostrophe'] as const;
const COUNTS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

type Negative = NumberForm['negative'][number];

const BASE: NumberForm = {
  unit: 'money',
  group: 'none',
  places: 2,
  whole: 'refuse',
  negative: ['minus', 'trailing-minus', 'parentheses', 'unicode-minus'],
};

/** The strictest first. */
const DECIMAL_RULES = [
  { places: 2, whole: 'refuse' },
  { places: '1..2', whole: 'refuse' },
  { places: 2, whole: 'allow' },
  { places: '1..2', whole: 'allow' },
] as const;

/**
 * Returns for each pair of marks the strictest form that fits all amounts. It has the negative forms that occur, and
 * the currency sign. Where `group: none` fits, no amount has a group mark, so several groups fit.
 */
export function fittingNumberForms(cells: readonly string[]): NumberForm[] {
  const amounts = soundCells(cells, {});
  const symbol = findSymbol(amounts);
  const hasSign = amounts.some((amount) => /[-(\u2212]/.test(amount));
  const base: NumberForm = { ...BASE, ...(symbol !== undefined && { symbol }) };
  const pairs = DECIMALS.flatMap((decimal) => GROUPS.map((group) => ({ ...base, decimal, group })));
  const money = pairs.filter(({ decimal, group }) => group !== decimal || group === 'none');
  const families = [
    ...money.map((form) => DECIMAL_RULES.map((rule) => ({ ...form, ...rule }))),
    COUNTS.map((digits): NumberForm => ({ ...base, unit: 'cents', digits })),
  ];
  return families.flatMap((forms) => firstFitting(forms, amounts, readerOfNumbers)).map(onlyOccurring);

  /** Leaves the negative forms without which an amount would not fit. */
  function onlyOccurring(form: NumberForm): NumberForm {
    if (!hasSign) return { ...form, negative: [] };
    const isNeeded = (name: Negative) => !fits(readerOfNumbers({ ...form, negative: without(name) }), amounts);
    return { ...form, negative: form.negative.filter(isNeeded) };
  }
}

/** A currency sign or code, as it stands in the first amount that has one. */
function findSymbol(amounts: readonly string[]): string | undefined {
  for (const amount of amounts) {
    const symbol = /\p{L}{0,4}\p{Sc}|\p{L}{2,5}/u.exec(amount)?.[0];
    if (symbol !== undefined) return symbol;
  }
  return undefined;
}

function without(name: Negative): Negative[] {
  return BASE.negative.filter((other) => other !== name);
}

function readerOfNumbers(form: NumberForm): Reads {
  return form.symbol === undefined ? compilePlain(form) : compileNumber(form);
}

function compileNumber(form: NumberForm): Reads {
  return compileNumberForm(form, { largestCents: LARGEST_TOTAL_CENTS });
}

const compilePlain = compiledOnce(compileNumber);

/** Orders of a date. One or two digits are tried where not all numbers have two. */
const DATE_ORDERS = ['DD-MM-YYYY', 'MM-DD-YYYY', 'YYYY-MM-DD', 'DD-MM-YY', 'MM-DD-YY', 'YY-MM-DD'];
const NAMED_DATES = ['DD-MMM-YYYY', 'DD-MMM-YY', 'MMM-DD-YYYY', 'MMM-DD-YY', 'YYYY-MMM-DD'];
const EXPIRY_ORDERS = ['MM-YY', 'YY-MM', 'MM-YYYY', 'YYYY-MM'];
const NAMED_EXPIRIES = ['MMM-YY', 'MMM-YYYY', 'YY-MMM', 'YYYY-MMM'];

const MARKS = ['/', '.', '-', ' '];
const ODD_NAMED_DATES = ['MMM DD, YYYY', 'DD. MMM YYYY', 'MMMDD,YYYY', 'DDMMMYYYY', 'DDMMMYY'];

/** Returns all forms that fit all dates, each as strict as it can be. Two orders may be left. */
export function fittingDateForms(cells: readonly string[]): DateForm[] {
  const formats = [...joined(DATE_ORDERS, [...MARKS, '']), ...joined(NAMED_DATES, MARKS), ...ODD_NAMED_DATES];
  return fittingForms(formats, ['refuse', 'drop'], cells, compileDate);
}

/** Returns all forms that fit all expiry dates, each as strict as it can be. Two orders may be left. */
export function fittingExpiryForms(cells: readonly string[]): DateForm[] {
  const formats = [...joined(EXPIRY_ORDERS, [...MARKS, '']), ...joined(NAMED_EXPIRIES, [...MARKS, ''])];
  return fittingForms(formats, ['refuse'], cells, compileExpiry);
}

const compileDate = compiledOnce(compileDateForm);
const compileExpiry = compiledOnce(compileExpiryForm);

/** There are some hundred candidates, which all columns try. */
function compiledOnce<Form, Read>(compile: (form: Form) => Read): (form: Form) => Read {
  const known = new Map<string, Read>();
  return (form) => {
    const key = JSON.stringify(form);
    const read = known.get(key) ?? compile(form);
    known.set(key, read);
    return read;
  };
}

function joined(orders: readonly string[], marks: readonly string[]): string[] {
  return marks.flatMap((mark) => orders.map((order) => order.replaceAll('-', mark)));
}

function fittingForms(
  formats: readonly string[],
  times: readonly ('refuse' | 'drop')[],
  cells: readonly string[],
  compile: (form: DateForm) => ReadDate | undefined,
): DateForm[] {
  const dates = soundCells(cells, { monthNames: true });
  return formats.flatMap((strict) => {
    const languages = strict.includes('MMM') ? LANGUAGES : [undefined];
    const loose = strict.replace('DD', 'D').replace(/(?<!M)MM(?!M)/, 'M');
    return languages.flatMap((language) => {
      const forms = times.flatMap((time) =>
        [strict, loose].map((format) => ({ format, ...(language && { language }), ...(time === 'drop' && { time }) })),
      );
      return firstFitting(forms, dates, compile);
    });
  });
}

type Reads = (text: string) => string | number | object;

function firstFitting<Form>(
  forms: readonly Form[],
  cells: readonly string[],
  compile: (form: Form) => Reads | undefined,
): Form[] {
  const form = forms.find((candidate) => fits(compile(candidate), cells));
  return form === undefined ? [] : [form];
}

function fits(read: Reads | undefined, cells: readonly string[]): boolean {
  return read !== undefined && cells.length > 0 && cells.every((cell) => typeof read(cell) !== 'object');
}

/** Returns the cells as a drop would read them. An unsound one leaves none, because no form fits it. */
function soundCells(cells: readonly string[], care: CellCare): readonly string[] {
  const sound = cells.map((cell) => soundCell(cell, care));
  return sound.every((cell) => typeof cell === 'string' && cell !== '') ? (sound as string[]) : [];
}
