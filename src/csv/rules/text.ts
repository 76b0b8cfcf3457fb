import { counted } from '../../kernel/counted.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';
import type { CellRule, Report } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

type TextLimits = {
  /** Longest text that is sent, in characters. */
  maxLength: number;
  /** Commas and quotes become a space. Elsewhere they make the row invalid. */
  replacesCommas: boolean;
};

/**
 * Text: no comma and no quote, because the service splits rows at every comma and its quoting is unknown; not longer
 * than its field; no card number in it, because text is stored and shown in clear.
 */
export function textRule(limits: TextLimits): CellRule {
  return (cell, report) => {
    if (hasForbiddenContent(cell, report)) return '';
    if (!/[,"]/.test(cell)) return checkLength(cell, limits.maxLength, report);
    if (!limits.replacesCommas) {
      report('FIELD_COMMA');
      return '';
    }
    report('TEXT_REPLACED');
    return checkLength(replaceCommas(cell), limits.maxLength, report);
  };
}

/** Spreadsheet damage, a card number, characters that show nothing, or a flood of text: reported, and true. */
export function hasForbiddenContent(cell: string, report: Report): boolean {
  const damage = findDamage(cell);
  if (cell.length > LONGEST_SEARCHED) report('FIELD_TOO_LONG', `longer than ${LONGEST_SEARCHED} characters`);
  else if (damage) report('SPREADSHEET_DAMAGE', damage);
  else if (cell.length >= SHORTEST_CARD && holdsCardNumber(cell)) report('CARD_NUMBER_IN_TEXT');
  else if (INVISIBLE.test(cell)) report('FIELD_CHARACTER', 'a character that cannot be seen');
  else return false;
  return true;
}

/** Reports a text that is too long; it is never cut, which would change it without a word. */
export function checkLength(text: string, maxLength: number, report: Report): string {
  // Counted in characters as people see them only when it matters: emoji take two places each.
  if (text.length <= maxLength || [...text].length <= maxLength) return text;
  report('FIELD_TOO_LONG', `longer than ${counted(maxLength, 'character')}`);
  return '';
}

/** No field takes nearly as much, and the search for card numbers in a flood of digits would take seconds a line. */
const LONGEST_SEARCHED = 1_000;

/** A shorter text need not be searched for card numbers. */
const SHORTEST_CARD = 13;

/**
 * Marks that show nothing but change how the text around them is read, such as one that turns its direction. The two
 * joiners of Persian and Indian scripts and of emoji (U+200C, U+200D) are part of names and stay.
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

function replaceCommas(text: string): string {
  return text.replace(/[,"]/g, ' ').replace(/ {2,}/g, ' ').trim();
}
