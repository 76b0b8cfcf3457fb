import { COLUMNS, type ColumnName } from '../../../../schemas/layouts.ts';
import type { ColumnRule, Profile } from '../../../../schemas/profiles.ts';
import { acceptsMop, SERVER_MOPS } from '../../../../schemas/restrictions.ts';
import { nearest } from '../../../config/nearest.ts';
import { holdsCardNumber } from '../../../kernel/mask.ts';
import type { ProfilePlace } from '../check-profile.ts';
import { columnRules } from '../profile-titles.ts';
import { foldWord } from '../words-rule.ts';
import { fault, type FoundFault, hiddenIn, keyFault, type ProfilePath, quoted } from './found-fault.ts';

/** Finds words that stand twice or are sent as something that the account does not take. */
export function checkWords({ rows, check, columns }: Profile, place: ProfilePlace | undefined): FoundFault[] {
  return [
    ...rows.only.flatMap(({ take, skip }, index) =>
      findTwice([
        [['rows', 'only', index, 'take'], take],
        [['rows', 'only', index, 'skip'], skip],
      ]),
    ),
    ...check.cells.flatMap(({ is }, index) => findTwice([[['check', 'cells', index, 'is'], is]])),
    ...columnRules(columns).flatMap(([column, rule]) => checkRuleWords(column, rule, place)),
  ];
}

function checkRuleWords(column: ColumnName, rule: ColumnRule, place: ProfilePlace | undefined): FoundFault[] {
  const path = ['columns', column];
  const { words, value, sign, nothing = [] } = rule;
  const listed = Object.keys(words ?? {});
  const taken = takenBy(column, place);
  const targets: [ProfilePath, string][] = [
    ...Object.entries(words ?? {}).map(([word, target]): [ProfilePath, string] => [[...path, 'words', word], target]),
    ...(value === undefined ? [] : [[[...path, 'value'], value] satisfies [ProfilePath, string]]),
  ];
  return [
    ...(words && listed.length === 0 ? [keyFault([...path, 'words'], 'it lists no word')] : []),
    ...findTwice(listed.map((word) => [[...path, 'words', word], word])),
    ...findTwice([[[...path, 'nothing'], nothing]]),
    ...(typeof sign === 'object'
      ? findTwice([
          [[...path, 'sign', 'positive'], sign.positive],
          [[...path, 'sign', 'negative'], sign.negative],
        ])
      : []),
    ...(taken ? targets.flatMap(([at, target]) => checkTarget(at, target, taken)) : []),
  ];
}

/** Returns what a column of words is sent as; undefined for a column of any text. */
function takenBy(column: ColumnName, place: ProfilePlace | undefined): readonly string[] | undefined {
  const { kind } = COLUMNS[column];
  if (kind === 'accountType') return ['CHECKING', 'SAVING'];
  if (kind !== 'mop') return undefined;
  const known = [...new Set(Object.values(SERVER_MOPS).flat())];
  if (!place) return known;
  const { server, currency } = place.account;
  return SERVER_MOPS[server].filter((mop) => acceptsMop(server, currency, mop));
}

function checkTarget(path: ProfilePath, target: string, taken: readonly string[]): FoundFault[] {
  if (taken.includes(target)) return [];
  const near = nearest(target, taken);
  const reason = `${quoted(target)} cannot be sent; the account takes ${taken.join(', ')}`;
  return [fault('PROFILE_WORD', path, near === undefined ? reason : `${reason}; near: ${near}`)];
}

/** Finds words that are the same but for case and outer blanks, in one list or in two that must differ. */
function findTwice(lists: readonly (readonly [ProfilePath, string | readonly string[]])[]): FoundFault[] {
  const seen = new Set<string>();
  const all = lists.flatMap(([path, words]) =>
    typeof words === 'string'
      ? [{ path, word: words }]
      : words.map((word, index) => ({ path: [...path, index], word })),
  );
  return all.flatMap(({ path, word }) => {
    const isTwice = seen.has(foldWord(word));
    seen.add(foldWord(word));
    return isTwice
      ? [fault('PROFILE_WORD', path, `${quoted(word)} stands twice; case and outer blanks do not count`)]
      : [];
  });
}

/** Finds texts of a profile that a person cannot see, or that must not stand there. */
export function checkTexts(value: unknown, path: ProfilePath = []): FoundFault[] {
  if (typeof value === 'string') return checkText(value, path);
  if (Array.isArray(value)) return value.flatMap((item, index) => checkTexts(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...checkText(key, [...path, key]),
    ...checkTexts(inner, [...path, key]),
  ]);
}

function checkText(text: string, path: ProfilePath): FoundFault[] {
  // A note may have several lines.
  const hidden = hiddenIn(path[0] === 'note' ? text.replaceAll('\n', ' ') : text);
  return [
    ...(hidden.length > 0
      ? [keyFault(path, `it holds the hidden character ${hidden.join(', ')}; type the text again`)]
      : []),
    ...(holdsCardNumber(text)
      ? [fault('PROFILE_NUMBER_IN_TEXT', path, 'it looks like a card number; take it out of the profile')]
      : []),
  ];
}
