import type { ColumnRule } from '../../../../schemas/profiles.ts';
import { hiddenShown } from '../../profile/check/found-fault.ts';
import { compileDateForm, compileExpiryForm, type DateForm } from '../../profile/date-form.ts';
import { fittingDateForms, fittingExpiryForms } from '../../profile/fitting-forms.ts';
import type { Memo } from '../memo.ts';
import { type Asker, OPEN } from '../question.ts';
import { shownDate } from '../shown.ts';

const KINDS = {
  date: { about: 'Form of the date', fitting: fittingDateForms, compile: compileDateForm, example: 'DD.MM.YYYY' },
  expiry: { about: 'Form of the expiry', fitting: fittingExpiryForms, compile: compileExpiryForm, example: 'MM/YY' },
} as const;

/**
 * Decides how a date or expiry is written. It is asked when more than one form fits all cells, or none.
 * @param cells the filled cells of the payments
 */
export function decideDateForm(
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
export function formValue({ format = '', language, time }: DateForm): string {
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
