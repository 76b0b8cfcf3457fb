import type { Profile, Title } from '../../../../schemas/profiles.ts';
import type { Fault } from '../../../rows/rows.ts';

/** Forms of two numbers of two digits, which may be month and year or the other way round. */
const TWO_AND_TWO = /^(?:MM[^MY]*YY|YY[^MY]*MM)$/;

/** Cards are not made for longer. */
const LONGEST_MONTHS = 120;

/** More than one in five is odd as written, and nine in ten can be read the other way. */
const ODD_SHARE = 5;
const OTHER_TENTHS = 9;

/**
 * Looks at all expiry dates of a file for the sign that month and year are exchanged. It never changes one.
 * @param today YYYY-MM-DD
 */
export function expiryDoubt({ columns }: Profile, today: string, placeOf: (title: Title) => number) {
  const { from, format = '' } = columns.expiry ?? {};
  const place = from !== undefined && TWO_AND_TWO.test(format) ? placeOf(from) : -1;
  const startsWithMonth = format.startsWith('M');
  const thisMonth = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7));
  let rows = 0;
  let odd = 0;
  let readable = 0;

  function take(cells: readonly string[]): void {
    if (place < 0) return;
    const cell = cells[place]!.trim();
    const first = Number(cell.slice(0, 2));
    const second = Number(cell.slice(-2));
    if (cell.length !== format.length || Number.isNaN(first + second)) return;
    const [month, year] = startsWithMonth ? [first, second] : [second, first];
    const isOdd = !isMonth(month) || !isPlausible(month, year);
    rows += 1;
    if (isOdd) odd += 1;
    if (isMonth(year) && (isOdd || isPlausible(year, month))) readable += 1;
  }

  function isPlausible(month: number, year: number): boolean {
    const months = (2000 + year) * 12 + month - thisMonth;
    return months >= 0 && months <= LONGEST_MONTHS;
  }

  function faults(): Fault[] {
    if (odd * ODD_SHARE <= rows || readable * 10 < rows * OTHER_TENTHS) return [];
    const detail = `as ${format}, ${odd} of ${rows} are past, too far ahead or no month; exchanged, ${readable} can be read`;
    return [{ code: 'EXPIRY_DOUBT', line: 0, detail }];
  }

  return { take, faults };
}

function isMonth(month: number): boolean {
  return month >= 1 && month <= 12;
}
