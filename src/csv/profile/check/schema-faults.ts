import { Profile } from '../../../../schemas/profiles.ts';
import { nearest } from '../../../config/nearest.ts';
import { keysAt, valueAt } from '../../../config/schema-at.ts';
import { type FoundFault, keyFault, orList, type ProfilePath, quoted } from './found-fault.ts';

/** What a schema says is wrong with a value, as far as it is used here. */
export type SchemaIssue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly SchemaIssue[])[];
  readonly options?: readonly unknown[];
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly origin?: string;
};

/** Says in plain words what the schema found, with what was probably meant. */
export function explainIssue(issue: SchemaIssue, given: unknown, base: ProfilePath = []): FoundFault[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  const value = valueAt(given, path);
  if (issue.code === 'unrecognized_keys') return (issue.keys ?? []).map((key) => unknownKey(path, key, value));
  if (issue.code === 'invalid_union' && issue.errors?.length) return explainUnion(issue.errors, given, path);
  if (value === undefined) return [keyFault(path, 'it is missing')];
  const values = issue.values ?? issue.options;
  if (values) return [keyFault(path, noneOf(value, values.map(String)))];
  return [keyFault(path, issue.expected ? wrongType(value, [issue.expected]) : plainMessage(issue))];
}

/** Explains the alternative that the value comes closest to; those of another type count only when all are. */
function explainUnion(branches: readonly (readonly SchemaIssue[])[], given: unknown, path: ProfilePath): FoundFault[] {
  const value = valueAt(given, path);
  if (value === undefined) return [keyFault(path, 'it is missing')];
  const near = branches.filter(
    (issues) => !issues.some(({ path: inner, expected, values }) => inner.length === 0 && (expected ?? values)),
  );
  const best = near.toSorted((a, b) => a.length - b.length)[0];
  if (best) {
    // With a key misspelled, the one that is missing is the same fault.
    const unknown = best.filter(({ code }) => code === 'unrecognized_keys');
    return (unknown.length > 0 ? unknown : best).flatMap((issue) => explainIssue(issue, given, path));
  }
  const values = branches.flatMap((issues) =>
    issues.flatMap((issue) => (issue.path.length === 0 ? (issue.values ?? []) : [])),
  );
  if (values.length > 0 && typeof value === 'string') return [keyFault(path, noneOf(value, values.map(String)))];
  return [
    keyFault(
      path,
      wrongType(
        value,
        branches.flatMap((issues) => issues.flatMap(({ expected }) => expected ?? [])),
      ),
    ),
  ];
}

function unknownKey(path: ProfilePath, key: string, beside: unknown): FoundFault {
  const keys = keysAt(Profile, path);
  if (keys.includes(key)) return keyFault([...path, key], whyOdd(path, beside));
  const near = nearest(key, keys);
  return keyFault([...path, key], `there is no such key${near === undefined ? '' : `; did you mean ${near}?`}`);
}

/** Says why a key of another alternative cannot stand here. */
function whyOdd(path: ProfilePath, beside: unknown): string {
  if (path.join() !== 'read') return 'it does not go with the other keys here; leave it out';
  return valueAt(beside, ['kind']) === 'workbook'
    ? 'only text files have it; leave it out for a workbook'
    : 'only workbooks have it; write kind: workbook, or leave it out';
}

function noneOf(value: unknown, values: readonly string[]): string {
  const near = typeof value === 'string' ? nearest(value, values) : undefined;
  const said = typeof value === 'string' ? `${quoted(value)} is none of` : 'write';
  return `${said} ${said === 'write' ? orList(values) : values.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'keys with values',
  record: 'words with what they are sent as',
};

function wrongType(value: unknown, expected: readonly string[]): string {
  const isBare = typeof value === 'number' || typeof value === 'boolean';
  if (isBare && expected.includes('string')) return `put ${String(value)} in quotes, so that it is a text`;
  if (value === null) return `it is empty; write ${orList(namesOf(expected))}`;
  return `write ${orList(namesOf(expected))} here`;
}

function namesOf(expected: readonly string[]): readonly string[] {
  return [...new Set(expected.map((type) => TYPES[type] ?? type))];
}

/** Words of the schema's own rules stay; those of its library are said anew. */
function plainMessage({ code, origin, minimum, maximum, message }: SchemaIssue): string {
  const what = origin === 'string' ? 'characters' : 'entries';
  const isCount = origin === 'number' || origin === 'int';
  if (code === 'too_small') return isCount ? `write a number from ${minimum}` : 'it is empty';
  if (code === 'too_big') return isCount ? `write a number up to ${maximum}` : `it has more than ${maximum} ${what}`;
  return message;
}
