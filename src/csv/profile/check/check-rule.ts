import { COLUMNS, type ColumnKind, type ColumnName } from '../../../../schemas/layouts.ts';
import { type ColumnRule, type Profile, RULE_KEYS } from '../../../../schemas/profiles.ts';
import { rangeOf } from '../used-cell.ts';
import { fault, type FoundFault, keyFault, orList, type ProfilePath } from './found-fault.ts';

type RuleKey = keyof ColumnRule;

/** Finds what is wrong with the rule of a column, except its words and its form of numbers and dates. */
export function checkRule(column: ColumnName, rule: ColumnRule, { head, read }: Profile): FoundFault[] {
  const { kind } = COLUMNS[column];
  const path = ['columns', column];
  return [
    ...checkKeys(kind, rule, path),
    ...checkSource(kind, rule, path),
    ...checkCompany(kind, rule, path),
    ...(read.kind === 'text' && rule.type !== undefined
      ? [keyFault([...path, 'type'], 'only workbooks have types')]
      : []),
    ...(read.kind === 'workbook' && rule.excelText !== undefined
      ? [keyFault([...path, 'excelText'], 'only text files have it; leave it out for a workbook')]
      : []),
    ...checkCounts(rule, path),
    ...checkJoin(kind, rule, path),
    ...(head.titles === 'none' ? checkGuard(kind, rule, path) : []),
  ];
}

function keysOf(rule: ColumnRule): readonly RuleKey[] {
  return (Object.keys(rule) as RuleKey[]).filter((key) => rule[key] !== undefined);
}

function checkKeys(kind: ColumnKind, rule: ColumnRule, path: ProfilePath): FoundFault[] {
  const taken = RULE_KEYS[kind];
  return keysOf(rule)
    .filter((key) => !taken.includes(key))
    .map((key) =>
      key === 'value'
        ? fault('PROFILE_CONSTANT', [...path, key], 'it must come from the file and cannot be the same in every row')
        : keyFault([...path, key], `this column does not take it; it takes ${taken.join(', ')}`),
    );
}

/** The ways to give a column its content, by their keys. */
const SOURCES: readonly (readonly RuleKey[])[] = [
  ['from'],
  ['join'],
  ['value'],
  ['positive', 'negative'],
  ['month', 'year'],
];

function checkSource(kind: ColumnKind, rule: ColumnRule, path: ProfilePath): FoundFault[] {
  const given = SOURCES.filter((keys) => keys.some((key) => rule[key] !== undefined));
  if (given.length === 1) return [];
  const possible = SOURCES.filter(([key]) => key && RULE_KEYS[kind].includes(key)).map((keys) => keys.join(' with '));
  const reason = given.length === 0 ? `write ${orList(possible)}` : `write one of ${given.flat().join(', ')}`;
  return [keyFault(path, reason)];
}

/** Keys that need one of others beside them; a kind limits the row to its columns. */
const COMPANY: readonly {
  readonly key: RuleKey;
  readonly needs: readonly RuleKey[];
  readonly kinds?: readonly ColumnKind[];
}[] = [
  { key: 'split', needs: ['from', 'join'] },
  { key: 'split', needs: ['part'] },
  { key: 'split', needs: ['of'] },
  { key: 'part', needs: ['split'] },
  { key: 'of', needs: ['split'] },
  { key: 'otherwise', needs: ['split'] },
  { key: 'empty', needs: ['from', 'join'] },
  { key: 'excelText', needs: ['from', 'join'] },
  { key: 'words', needs: ['from'] },
  { key: 'from', needs: ['words'], kinds: ['mop', 'accountType'] },
  { key: 'from', needs: ['format', 'type'], kinds: ['date', 'expiry'] },
  { key: 'from', needs: ['number', 'type'], kinds: ['amount'] },
  { key: 'from', needs: ['sign'], kinds: ['amount'] },
  { key: 'positive', needs: ['negative'] },
  { key: 'negative', needs: ['positive'] },
  { key: 'positive', needs: ['number', 'type'] },
  { key: 'nothing', needs: ['positive'] },
  { key: 'sign', needs: ['from'] },
  { key: 'month', needs: ['year'] },
  { key: 'year', needs: ['month'] },
  { key: 'format', needs: ['from'] },
  { key: 'language', needs: ['format'] },
  { key: 'time', needs: ['format', 'type'] },
  { key: 'type', needs: ['from', 'positive'] },
];

/** Pairs of keys that say the same thing twice. */
const RIVALS: readonly (readonly [RuleKey, RuleKey])[] = [
  ['format', 'type'],
  ['number', 'type'],
];

const TYPES: { readonly [Kind in ColumnKind]?: ColumnRule['type'] } = {
  date: 'date',
  expiry: 'date',
  amount: 'number',
};

function checkCompany(kind: ColumnKind, rule: ColumnRule, path: ProfilePath): FoundFault[] {
  const has = (key: RuleKey) => rule[key] !== undefined;
  const alone = COMPANY.filter(
    ({ key, needs, kinds }) =>
      RULE_KEYS[kind].includes(key) && has(key) && !needs.some(has) && (kinds?.includes(kind) ?? true),
  ).map(({ key, needs }) =>
    keyFault([...path, key], `${key} needs ${orList(needs.filter((one) => RULE_KEYS[kind].includes(one)))} beside it`),
  );
  const rivals = RIVALS.filter((pair) => pair.every(has)).map(([key, other]) =>
    keyFault([...path, key], `write ${key} or ${other}, not both`),
  );
  const type = TYPES[kind];
  const isOdd = has('type') && type !== undefined && rule.type !== type;
  return [...alone, ...rivals, ...(isOdd ? [keyFault([...path, 'type'], `this column has the type ${type}`)] : [])];
}

type Count = NonNullable<ColumnRule['digits']>;

function checkCounts(
  { split, part, of, digits, check, shape, join = [] }: ColumnRule,
  path: ProfilePath,
): FoundFault[] {
  const isBeyond = split !== undefined && part !== undefined && of !== undefined && part > of;
  const isTooShort = check === 'aba' && rangeOf(digits)[1] < 9;
  return [
    ...(isBeyond ? [keyFault([...path, 'part'], `there are ${of} parts, so ${part} is none of them`)] : []),
    ...(isTooShort ? [keyFault([...path, 'check'], 'an account with a routing number has more than 9 digits')] : []),
    ...checkRange(digits, [...path, 'digits']),
    ...checkRange(shape?.length, [...path, 'shape', 'length']),
    ...join.flatMap((one, index) => ('from' in one ? checkPart(one, [...path, 'join', index]) : [])),
  ];
}

type FromPart = Extract<NonNullable<ColumnRule['join']>[number], { from: unknown }>;

function checkPart({ digits, check }: FromPart, path: ProfilePath): FoundFault[] {
  const isOdd = check === 'aba' && digits !== undefined && rangeOf(digits).some((count) => count !== 9);
  return [
    ...checkRange(digits, [...path, 'digits']),
    ...(isOdd ? [keyFault([...path, 'check'], 'a routing number has 9 digits; write digits: 9')] : []),
  ];
}

function checkRange(count: Count | undefined, path: ProfilePath): FoundFault[] {
  if (count === undefined) return [];
  const [least, most] = rangeOf(count);
  if (most === 0) return [keyFault(path, 'it allows nothing; write a number from 1')];
  return least > most ? [keyFault(path, `write the smaller number first: ${most}..${least}`)] : [];
}

/** Two accounts must never be joined to the same digits, so at most one part may have an open length. */
function checkJoin(kind: ColumnKind, { join }: ColumnRule, path: ProfilePath): FoundFault[] {
  if (!join) return [];
  const at = [...path, 'join'];
  const parts = join.flatMap((part, index) => ('from' in part ? [{ part, index }] : []));
  const none = parts.length === 0 ? [fault('PROFILE_JOIN', at, 'no part comes from the file; add one with from')] : [];
  if (kind !== 'accountNumber' && kind !== 'cardNumber') return none;
  const open = parts.filter(({ part }) => part.digits === undefined && part.check !== 'aba');
  const ranges = parts.filter(({ part }) => {
    const [least, most] = rangeOf(part.digits ?? 9);
    return least < most;
  });
  return [
    ...none,
    ...join.flatMap((part, index) =>
      'text' in part && !/^[0-9]+$/.test(part.text)
        ? [fault('PROFILE_JOIN', [...at, index, 'text'], 'a text within a number has digits only')]
        : [],
    ),
    ...open.map(({ index }) =>
      fault('PROFILE_JOIN', [...at, index], 'say how many digits this part has: digits: 5, or 4..17 for one part'),
    ),
    ...ranges
      .slice(1)
      .map(({ index }) =>
        fault('PROFILE_JOIN', [...at, index, 'digits'], 'only one part may have a range; give this one a fixed number'),
      ),
  ];
}

/** Without titles, only the shape of these two shows that the columns have moved. */
function checkGuard(kind: ColumnKind, { shape }: ColumnRule, path: ProfilePath): FoundFault[] {
  if (kind !== 'invoice' && kind !== 'customerCode') return [];
  const isGuarded =
    shape && (shape.length !== undefined || shape.only !== undefined || (shape.starts?.length ?? 0) > 0);
  const reason = 'a file without titles needs a shape here, such as shape: { starts: [D], rest: digits }';
  return isGuarded ? [] : [fault('PROFILE_GUARD', path, reason)];
}
