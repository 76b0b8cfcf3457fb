import { counted } from '../../kernel/counted.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';
import type { CellRule, Report } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

type TextLimits = {
  /** Longest text that is sent, in characters. */
  maxLength: number;
  /** Replaces commas and quotes with a space. Otherwise they make the row invalid. */
  replacesCommas: boolean;
};

/**
 * Returns the text rule. It allows no comma or quote, because the service splits rows at every comma and its quoting is
 * unknown. It enforces the field's length and refuses card numbers, because text is stored and shown in clear.
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

/** Reports spreadsheet damage, a card number, invisible characters or a far too long text, and returns true. */
export function hasForbiddenContent(cell: string, report: Report): boolean {
  const damage = findDamage(cell);
  if (cell.length > LONGEST_SEARCHED) report('FIELD_TOO_LONG', `longer than ${LONGEST_SEARCHED} characters`);
  else if (damage) report('SPREADSHEET_DAMAGE', damage);
  else if (cell.length >= SHORTEST_CARD && holdsCardNumber(cell)) report('CARD_NUMBER_IN_TEXT');
  else if (INVISIBLE.test(cell)) report('FIELD_CHARACTER', 'a character that cannot be seen');
  else return false;
  return true;
}

/** Reports a text that is too long. It never truncates, which would silently change the text. */
export function checkLength(text: string, maxLength: number, report: Report): string {
  // Emoji take two units each, so visible characters are counted only when it matters.
  if (text.length <= maxLength || [...text].length <= maxLength) return text;
  report('FIELD_TOO_LONG', `longer than ${counted(maxLength, 'character')}`);
  return '';
}

/** No field allows nearly as much, and searching a flood of digits for card numbers would take seconds per line. */
const LONGEST_SEARCHED = 1_000;

/** Shorter texts are not searched for card numbers. */
const SHORTEST_CARD = 13;

/**
 * Invisible characters that change how the text around them reads, such as direction marks. U+200C and U+200D, the
 * joiners of Persian and Indian scripts and of emoji, are part of names and stay.
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

function replaceCommas(text: string): string {
  return text.replace(/[,"]/g, ' ').replace(/ {2,}/g, ' ').trim();
}
