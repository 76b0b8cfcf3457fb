import { COLUMNS, type Country, columnsOf, LAYOUTS } from '../../../schemas/layouts.ts';
import type { FolderOperation, Server } from '../../../schemas/operations.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import type { Currency } from '../../../schemas/restrictions.ts';
import { checkForms } from './check/check-forms.ts';
import { checkRule } from './check/check-rule.ts';
import { checkTitles } from './check/check-titles.ts';
import { checkTexts, checkWords } from './check/check-words.ts';
import { fault, type FoundFault, keyFault, quoted } from './check/found-fault.ts';
import { columnRules } from './profile-titles.ts';

/** Where a profile reads: the operation of the folder and its account. */
export type ProfilePlace = {
  readonly operation: FolderOperation;
  readonly account: { readonly server: Server; readonly country: Country; readonly currency: Currency };
};

/**
 * Finds everything that a well-formed profile can still get wrong. It runs before the profile reads anything.
 * @param place left out, what only folder and account decide is not checked
 */
export function checkProfile(profile: Profile, place?: ProfilePlace): readonly FoundFault[] {
  const rules = columnRules(profile.columns);
  return [
    ...(place ? checkLayout(profile, place) : []),
    ...checkTitles(profile),
    ...checkRows(profile),
    ...checkColumns(profile),
    ...rules.flatMap(([column, rule]) => [...checkRule(column, rule, profile), ...checkForms(column, rule, profile)]),
    ...checkWords(profile, place),
    ...checkTexts(profile),
  ];
}

function checkLayout({ layout }: Profile, { operation, account }: ProfilePlace): FoundFault[] {
  const row: { operations: readonly string[]; countries?: readonly Country[] } = LAYOUTS[layout];
  const isOther = !row.operations.includes(operation);
  if (!isOther && (row.countries?.includes(account.country) ?? true)) return [];
  const reason = isOther
    ? `${quoted(layout)} is not a layout of ${operation}`
    : `${quoted(layout)} is not for accounts in ${account.country}`;
  return [fault('PROFILE_LAYOUT', ['layout'], reason)];
}

function checkRows({ rows, read }: Profile): FoundFault[] {
  const needsTotal = rows.tail > 0 && rows.totals.length === 0;
  return [
    ...rows.totals.flatMap(({ amount, rows: count }, index) =>
      amount === undefined && count === undefined
        ? [keyFault(['rows', 'totals', index], 'write amount or rows, the column that is compared')]
        : [],
    ),
    ...rows.totals.flatMap(({ cells }, index) =>
      cells !== undefined && read.kind === 'workbook'
        ? [keyFault(['rows', 'totals', index, 'cells'], 'rows of a workbook are as wide as the titles; leave it out')]
        : [],
    ),
    ...(needsTotal
      ? [keyFault(['rows', 'tail'], 'it counts lines behind a total row; write totals, or leave it out')]
      : []),
  ];
}

/** Each column of the layout has a rule, also the optional ones, and no other column has one. */
function checkColumns({ layout, columns }: Profile): FoundFault[] {
  const wanted = columnsOf(layout);
  return [
    ...wanted
      .filter((column) => !columns[column])
      .map((column) =>
        fault('PROFILE_COLUMN_OPEN', ['columns'], `${COLUMNS[column].title} has no rule; write one for ${column}`),
      ),
    ...columnRules(columns)
      .filter(([column]) => !wanted.includes(column))
      .map(([column]) => keyFault(['columns', column], `layout ${layout} has no such column; leave it out`)),
  ];
}
