import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { SHORTEST_TELLING } from '../../kernel/plain-digits.ts';
import { placesOf } from './places-of.ts';
import { fitsBrand } from '../rules/card-brand.ts';
import { COMMA, CR, LF, QUOTE, SPACE } from '../../kernel/byte-names.ts';
import { DECLINED, type RowDesk } from './row-desk.ts';
import { scanAmount } from './scan-amount.ts';
import { type RulesOfScan, type ScanColumn, scanColumn, type ScanRules, scanRules } from './scan-column.ts';
import { scanDate } from './scan-date.ts';
import { scanExpiry } from './scan-expiry.ts';
import { scanAccountNumber, scanCardNumber } from './scan-number.ts';
import { scanText } from './scan-text.ts';
import { scanWord } from './scan-word.ts';

/**
 * Compiles the line scanner from the column table. It takes a line only if certain that it is a valid row and what to
 * send of it. It declines all others, valid or not, to the rules, so it need not know why a row is wrong.
 * @returns the scanner; it writes the canonical row with its LF at `desk.to` and returns the position of the line's
 *   end. After DECLINED, `desk.to` is meaningless
 */
export function compileRowScan(layout: LayoutName, checkRules: RulesOfScan): (desk: RowDesk, start: number) => number {
  const names = columnsOf(layout);
  const columns = names.map((name, place) => scanColumn(name, place, checkRules));
  const rules = scanRules(checkRules);
  const place = placesOf(names);
  const payer = place.number < 0 ? place.customerCode : place.number;

  return (desk, start) => {
    const { input, output } = desk;
    desk.mostDigits = 0;
    if (desk.replaced.length > 0) desk.replaced = [];
    let at = start;
    for (let column = 0; column < columns.length; column += 1) {
      if (column > 0) {
        if (input[at] !== COMMA) return DECLINED;
        at += 1;
        output[desk.to] = COMMA;
        desk.to += 1;
      }
      const from = desk.to;
      while (input[at] === SPACE) at += 1;
      at =
        input[at] === QUOTE
          ? scanQuoted(desk, at, columns[column]!, rules)
          : scanCell(desk, at, columns[column]!, rules);
      if (at === DECLINED) return DECLINED;
      while (input[at] === SPACE) at += 1;
      if (column === place.invoice) {
        desk.invoiceStart = from;
        desk.invoiceEnd = desk.to;
      } else if (column === payer) {
        desk.payerStart = from;
        desk.payerEnd = desk.to;
      }
    }
    if (input[at] !== LF && input[at] !== CR) return DECLINED;
    const payerLength = desk.payerEnd - desk.payerStart;
    // One of the row's texts may hold its number.
    if (place.number >= 0 && desk.mostDigits >= Math.max(payerLength, SHORTEST_TELLING)) return DECLINED;
    if (place.mop >= 0 && !fitsBrand(desk.brand, payerLength, desk.cardStart)) return DECLINED;
    output[desk.to] = LF;
    desk.to += 1;
    return at;
  };
}

/** Scans a cell in quotes that hold no other quote. Spaces on either side of a quote are ignored. */
function scanQuoted(desk: RowDesk, quote: number, column: ScanColumn, rules: ScanRules): number {
  desk.isQuoted = true;
  let at = quote + 1;
  while (desk.input[at] === SPACE) at += 1;
  at = scanCell(desk, at, column, rules);
  desk.isQuoted = false;
  if (at === DECLINED) return DECLINED;
  while (desk.input[at] === SPACE) at += 1;
  return desk.input[at] === QUOTE ? at + 1 : DECLINED;
}

/**
 * Scans one cell, without the quotes and spaces around it, and writes what to send. Direct calls cost a third less than
 * calls through a table of functions.
 * @returns where it ends, or DECLINED
 */
function scanCell(desk: RowDesk, at: number, column: ScanColumn, rules: ScanRules): number {
  switch (column.kind) {
    case 'text':
      return scanText(desk, at, column);
    case 'date':
      return scanDate(desk, at, rules);
    case 'amount':
      return scanAmount(desk, at, rules);
    case 'mop':
      return scanWord(desk, at, rules.mops);
    case 'cardNumber':
      return scanCardNumber(desk, at);
    case 'expiry':
      return scanExpiry(desk, at, rules);
    case 'accountType':
      return scanWord(desk, at, rules.accountTypes);
    case 'accountNumber':
      return scanAccountNumber(desk, at, rules);
  }
}
