import { type ColumnKind, COLUMNS, columnsOf } from '../../../schemas/layouts.ts';
import type { Profile, Title } from '../../../schemas/profiles.ts';
import { isDay, maskNumber, maskText, sharesDigits } from '../../kernel/mask.ts';
import { joinedDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';
import { foldTitle, isSecretColumn, titlesOf, usesOfTitles } from './profile-titles.ts';

type SenderRow = { readonly made: readonly string[]; readonly isValid: boolean };

/**
 * Returns a function that masks the cells of a row as the sender wrote them. Of a card or account number, only the last
 * digits of its last part stay, so that parts do not add up to more than four. Cells that were sent as they stand were
 * checked and stay; all others may hold anything.
 * @param titles of the file, in its order
 */
export function senderMasker(
  profile: Profile,
  titles: readonly string[],
): (cells: readonly string[], row: SenderRow) => string[] {
  const uses = usesInOrder(profile, titles);
  const numberAt = columnsOf(profile.layout).findIndex(isSecretColumn);
  const lastPart = uses.findLastIndex(({ isSecret }) => isSecret);
  return (cells, { made, isValid }) => {
    const secrets = cells.filter((_, place) => uses[place]?.isSecret).map((cell) => joinedDigits(cell));
    const sent = new Set(isValid ? made.filter((_, place) => place !== numberAt) : []);
    return cells.map((cell, place) => {
      const text = cell.trim();
      if (uses[place]?.isSecret) return place === lastPart ? maskNumber(text) : text.replace(/[^]/g, '*');
      const kind = uses[place]?.kind;
      if (sent.has(text) || (isValid && isRead(kind, text))) return cell;
      if (isPlainKind(kind, text) && !secrets.includes(joinedDigits(text))) return cell;
      return maskText(hideParts(text, secrets));
    });
  };
}

function usesInOrder(profile: Profile, titles: readonly string[]) {
  const uses = [...usesOfTitles(profile)];
  const names = titlesOf(profile).map((title) => foldTitle(String(title)));
  return titles.map((title, place) => {
    const at = profile.head.order === 'any' ? names.indexOf(foldTitle(title)) : place;
    const use = uses[at]?.[1];
    const [column] = use?.columns ?? [];
    return { isSecret: use?.isSecret ?? false, kind: column && COLUMNS[column].kind };
  });
}

/** Returns whether the profile has read the whole cell of a valid row. What follows a date may be dropped unread. */
function isRead(kind: ColumnKind | undefined, text: string): boolean {
  return kind === 'amount' || ((kind === 'date' || kind === 'expiry') && !/\s/.test(text));
}

/** Returns whether a cell is certainly an amount or a date, which nobody could take for a number. */
function isPlainKind(kind: ColumnKind | undefined, text: string): boolean {
  if (kind === 'amount') return !/\d{7}/.test(text.replace(/[\s.,'’-]/g, ''));
  return isDay(text);
}

/** Returns a function that lists the parts of a row's card or account number: letters and digits of their cells. */
export function numberParts(
  uses: ReturnType<typeof usesOfTitles>,
  placeOf: (title: Title) => number,
): (cells: readonly string[]) => string[] {
  const places = [...uses].flatMap(([title, { isSecret }]) => (isSecret ? [placeOf(title)] : []));
  return (cells) => places.map((place) => joinedDigits(cells[place] ?? ''));
}

/**
 * Hides a whole text that holds a part of the row's own number, with any signs between the digits, or much of one.
 * @param parts as `numberParts` lists them
 */
export function hideParts(text: string, parts: readonly string[]): string {
  const digits = joinedDigits(text);
  const holds = (part: string) =>
    part.length >= SHORTEST_PART &&
    (digits.includes(part) || (part.length >= SHORTEST_TELLING && sharesDigits(text, part)));
  return parts.some(holds) ? text.replace(/[^]/g, '*') : text;
}

/** A shorter part, such as an institution of three digits, stands anywhere by chance. */
export const SHORTEST_PART = 5;
