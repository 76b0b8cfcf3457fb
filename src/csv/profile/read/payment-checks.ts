import { columnsOf } from '../../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../../schemas/operations.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { joinGroups } from '../../../kernel/mask.ts';
import { formatCents } from '../../../kernel/money.ts';
import { joinedDigits, plainDigits, SHORTEST_TELLING } from '../../../kernel/plain-digits.ts';
import type { Fault } from '../../../rows/rows.ts';
import { DuplicateRows } from '../../check/duplicate-rows.ts';
import { placesOf } from '../../scan/row-scan.ts';
import { amountReader, type CellReport } from '../cell-rules.ts';
import { SHORTEST_PART } from '../mask-sender-row.ts';
import { titlesOfRule } from '../profile-titles.ts';
import { dateDoubt, expiryDoubt } from './date-doubt.ts';
import { wordLookup } from '../words-rule.ts';
import type { SourceRow } from './text-rows.ts';

export type ProfileContext = {
  readonly operation: FolderOperation;
  /** YYYY-MM-DD in the time zone of the account. */
  readonly today: string;
};

type PlaceOf = (title: Title) => number;
type CheckPayment = (row: SourceRow, made: readonly string[], report: CellReport) => void;

/**
 * Checks each payment of a file besides its cells: required words, sums, dates, and invoices that come again.
 * @returns also the doubts that only the whole file shows
 */
export function paymentChecks(profile: Profile, { today }: ProfileContext, placeOf: PlaceOf) {
  const dates = dateDoubt(profile, today);
  const expiries = expiryDoubt(profile, today, placeOf);
  const checks: CheckPayment[] = [
    ...profile.check.cells.map((rule) => wordCheck(rule, placeOf)),
    ...sumChecks(profile, placeOf),
    ...dateCheck(profile, dates),
    ...(profile.rows.repeatedInvoice === 'hold' ? [invoiceCheck(profile)] : []),
    ...joinedNumberCheck(profile, placeOf),
  ];

  function check(row: SourceRow, made: readonly string[], report: CellReport): void {
    for (const checkPayment of checks) checkPayment(row, made, report);
    expiries.take(row.cells);
  }

  return { check, faults: (): Fault[] => [...dates.faults(), ...expiries.faults()] };
}

function wordCheck({ column, is }: Profile['check']['cells'][number], placeOf: PlaceOf): CheckPayment {
  const place = placeOf(column);
  const isListed = wordLookup(new Map(is.map((word) => [word, true])));
  return ({ cells }, _, report) => {
    if (!isListed(cells[place]!)) report('CELL_WORD', column);
  };
}

function sumChecks(profile: Profile, placeOf: PlaceOf): CheckPayment[] {
  if (profile.check.sums.length === 0) return [];
  const read = amountReader(profile);

  /** Returns cents, or undefined after reporting a cell that is no amount. */
  function centsOf(title: Title, cells: readonly string[], report: CellReport): number | undefined {
    const amount = read(cells[placeOf(title)]!);
    if ('cents' in amount) return amount.cents;
    report(amount.code, title, amount.detail);
    return undefined;
  }

  return profile.check.sums.map(({ add, equals }) => ({ cells }, _, report) => {
    const parts = add.map((title) => centsOf(title, cells, report));
    const total = centsOf(equals, cells, report);
    if (total === undefined || parts.includes(undefined)) return;
    const sum = parts.reduce((cents: number, part) => cents + (part ?? 0), 0);
    if (sum !== total) report('SUM_DIFFERS', equals, `the others add up to ${formatCents(sum)}`);
  });
}

function dateCheck({ layout, columns }: Profile, dates: ReturnType<typeof dateDoubt>): CheckPayment[] {
  const place = columnsOf(layout).indexOf('date');
  const title = columns.date?.from;
  if (place < 0 || title === undefined) return [];
  return [
    (_, made, report) => {
      const away = made[place] ? dates.take(made[place]) : undefined;
      if (away !== undefined) report('DATE_OUTSIDE', title, away);
    },
  ];
}

/** Remembers 16 bytes of each invoice. */
function invoiceCheck({ layout, columns }: Profile): CheckPayment {
  const place = columnsOf(layout).indexOf('invoice');
  const { from, join = [] } = columns.invoice ?? {};
  const title = from ?? join.flatMap((part) => ('from' in part ? part.from : []))[0] ?? 1;
  const invoices = new DuplicateRows();
  return ({ line }, made, report) => {
    if (!made[place]) return;
    const firstLine = invoices.findFirstLine({ invoice: made[place], payer: '', cents: 0 }, line);
    if (firstLine > 0) report('INVOICE_REPEATED', title, `the first is on line ${firstLine}`);
  };
}

/**
 * Finds a joined number in texts, which are stored and shown in clear, also without its first parts. Of any other
 * number the rules of the layout find a copy.
 */
function joinedNumberCheck({ layout, columns }: Profile, placeOf: PlaceOf): CheckPayment[] {
  const names = columnsOf(layout);
  const { number, invoice, texts } = placesOf(names);
  const lastPart = columns[names[number]!]?.join?.findLast((part) => 'from' in part);
  if (!lastPart) return [];
  const partPlace = placeOf(lastPart.from);
  const sources = texts.flatMap((place) => {
    const [source] = titlesOfRule(columns[names[place]!] ?? {});
    return source ? [{ place, title: source[0] }] : [];
  });
  return [
    ({ cells }, made, report) => {
      const end = made[number]!.slice(-SHORTEST_TELLING);
      if (end.length < SHORTEST_TELLING) return;
      const part = joinedDigits(cells[partPlace]!);
      for (const { place, title } of sources) {
        const text = made[place]!;
        // Invoices may have the digits of a short part by chance.
        const isFound = joinedDigits(text).includes(end) || (place !== invoice && standsAlone(part, text));
        if (isFound) report('CARD_NUMBER_IN_TEXT', title);
      }
    },
  ];
}

/** Returns whether a text has these digits, and no others beside them; fewer than `SHORTEST_PART` stand anywhere. */
function standsAlone(digits: string, text: string): boolean {
  if (digits.length < SHORTEST_PART) return false;
  const plain = plainDigits(text);
  return [plain, joinGroups(plain)].some((form) => form.match(/\d+/g)?.includes(digits));
}
