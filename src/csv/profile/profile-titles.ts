import { COLUMNS, type ColumnName } from '../../../schemas/layouts.ts';
import type { ColumnRule, Profile, Title } from '../../../schemas/profiles.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { ProfilePath } from './check/found-fault.ts';
import { foldWord } from './words-rule.ts';

/**
 * What a key of a profile does with a title.
 *
 * `sent`     feeds a column of the layout
 * `read`     tells payments from other rows, or checks them
 * `between`  is read in rows that are no payments, so the title may also stand in `ignore`
 * `added`    is only compared with other amounts, so the title must also stand in `ignore`
 */
type Mention = {
  readonly title: Title;
  readonly path: ProfilePath;
  readonly does: 'sent' | 'read' | 'between' | 'added' | 'ignored';
  readonly column?: ColumnName;
};

/** Returns every place of a profile that names a title. */
export function mentionsOf(profile: Profile): readonly Mention[] {
  const { read, rows, check, ignore } = profile;
  const each = <T>(list: readonly T[], path: ProfilePath, mention: (item: T, path: ProfilePath) => Mention[]) =>
    list.flatMap((item, index) => mention(item, [...path, index]));
  const named = (does: Mention['does']) => (title: Title, path: ProfilePath) => [{ title, path, does }];
  return [
    ...(read.kind === 'workbook' ? each(read.formulas, ['read', 'formulas'], named('added')) : []),
    ...each(rows.only, ['rows', 'only'], ({ column }, path) => named('read')(column, [...path, 'column'])),
    ...each(rows.skip, ['rows', 'skip'], ({ when }, path) => conditions(when, [...path, 'when'])),
    ...each(rows.totals, ['rows', 'totals'], ({ when, amount, rows: count }, path) => [
      ...conditions(when, [...path, 'when']),
      ...(amount === undefined ? [] : named('between')(amount, [...path, 'amount'])),
      ...(count === undefined ? [] : named('between')(count, [...path, 'rows'])),
    ]),
    ...sentMentions(profile),
    ...each(ignore, ['ignore'], named('ignored')),
    ...each(check.cells, ['check', 'cells'], ({ column }, path) => named('read')(column, [...path, 'column'])),
    ...each(check.sums, ['check', 'sums'], ({ add, equals }, path) => [
      ...each(add, [...path, 'add'], named('added')),
      ...named('added')(equals, [...path, 'equals']),
    ]),
  ];
}

function conditions(when: Profile['rows']['skip'][number]['when'], path: ProfilePath): Mention[] {
  const list = Array.isArray(when)
    ? when.map((one, index) => ({ one, at: [...path, index] }))
    : [{ one: when, at: path }];
  return list.map(({ one, at }) => ({ title: one.column, path: [...at, 'column'], does: 'between' }));
}

function sentMentions({ columns }: Profile): Mention[] {
  return columnRules(columns).flatMap(([column, rule]) =>
    titlesOfRule(rule).map(
      ([title, ...path]): Mention => ({ title, path: ['columns', column, ...path], does: 'sent', column }),
    ),
  );
}

/** Returns the rules in the order of the column table. */
export function columnRules(columns: Profile['columns']): readonly (readonly [ColumnName, ColumnRule])[] {
  return (Object.keys(COLUMNS) as ColumnName[]).flatMap((column) => {
    const rule = columns[column];
    return rule ? [[column, rule] as const] : [];
  });
}

/** Returns the titles that a rule reads, each with its keys. */
export function titlesOfRule({ from, join = [], month, year, positive, negative, sign }: ColumnRule) {
  const named = { from, month, year, positive, negative };
  return [
    ...Object.entries(named).flatMap(([key, title]) => (title === undefined ? [] : [[title, key] as const])),
    ...join.flatMap((part, index) => ('from' in part ? [[part.from, 'join', index, 'from'] as const] : [])),
    ...(typeof sign === 'object' ? [[sign.by, 'sign', 'by'] as const] : []),
  ];
}

/** Returns a title as it is compared: case, outer blanks and runs of blanks do not count. */
export function foldTitle(title: string): string {
  return foldWord(title.replace(/\s+/g, ' '));
}

/** Returns how rules name the columns of the file, in their order: by title, `City#2`, or number. */
export function titlesOf({ head }: Pick<Profile, 'head'>): readonly Title[] {
  if (head.titles === 'none') return Array.from({ length: head.count ?? 0 }, (_, index) => index + 1);
  const folded = head.titles.map(foldTitle);
  const equals = groupBy(folded, (title) => title);
  const seen = new Map<string, number>();
  return head.titles.map((title, index) => {
    const name = folded[index]!;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return equals.get(name)!.length === 1 ? title : `${title}#${number}`;
  });
}

/**
 * What becomes of a column of the file. `columns` are those of the layout that it feeds; none for one that is not sent.
 * `isSecret`: its cells are a card or account number, or a part of one.
 */
export type TitleUse = { readonly columns: readonly ColumnName[]; readonly isSecret: boolean };

/** Returns the use of each column of the file, in their order. */
export function usesOfTitles(profile: Profile): ReadonlyMap<Title, TitleUse> {
  const sent = sentMentions(profile);
  return new Map(
    titlesOf(profile).map((title) => {
      const columns = [...new Set(sent.flatMap((one) => (one.title === title && one.column ? [one.column] : [])))];
      return [title, { columns, isSecret: columns.some(isSecretColumn) }];
    }),
  );
}

/** Returns whether a column of a layout holds a card or account number. */
export function isSecretColumn(column: ColumnName): boolean {
  return COLUMNS[column].kind === 'cardNumber' || COLUMNS[column].kind === 'accountNumber';
}
