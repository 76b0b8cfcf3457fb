import { Config } from '../../schemas/config.ts';
import { didYouMean } from './nearest.ts';
import { keysAt, schemasAt, valueAt, valuesAt } from './schema-at.ts';

type Path = readonly PropertyKey[];

type Issue = NonNullable<ReturnType<typeof Config.safeParse>['error']>['issues'][number];

/** What is wrong with the shape of a setting. */
export type ShapeFault = { readonly path: Path; readonly reason: string };

/** Says in words what the schema of the configuration found wrong. Faults never quote a value: it may be a password. */
export function explainIssue(issue: Issue, given: unknown): readonly ShapeFault[] {
  const { path } = issue;
  const say = (reason: string) => [{ path, reason }];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = keysAt(Config, path);
      return issue.keys.map((key) => ({
        path: [...path, key],
        reason: `there is no such setting${didYouMean(key, known)}`,
      }));
    }
    case 'invalid_value':
      return say(oneOf(issue.values.map(String), valueAt(given, path)));
    case 'invalid_union': {
      const kinds = valuesAt(Config, path);
      return say(kinds.length > 0 ? oneOf(kinds, valueAt(given, path)) : issue.message);
    }
    case 'invalid_key':
      return say('it is not a name of lowercase letters, digits and hyphens');
    case 'invalid_type':
      return say(mustBe(issue.expected, path, valueAt(given, path)));
    case 'too_small':
      return say(
        isNumber(issue) ? `it must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}` : issue.message,
      );
    case 'too_big':
      return say(
        isNumber(issue) ? `it must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}` : issue.message,
      );
    case 'not_multiple_of':
    case 'invalid_format':
    case 'invalid_element':
    case 'custom':
      return say(issue.message);
  }
}

function oneOf(values: readonly string[], value: unknown): string {
  if (value === undefined) return `it is missing; write ${values.join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
  return `it is none of ${values.join(', ')}${typeof value === 'string' ? didYouMean(value, values) : ''}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of settings',
  record: 'a group of settings by name',
};

function mustBe(expected: string, path: Path, value: unknown): string {
  if (value === undefined) return missing(path);
  const quotes = expected === 'string' && typeof value === 'number' ? ', so put it in quotes' : '';
  return `it must be ${KINDS[expected] ?? expected}${quotes}`;
}

function isNumber({ origin }: { readonly origin: string }): boolean {
  return origin === 'number' || origin === 'int';
}

function missing(path: Path): string {
  const about = schemasAt(Config, path).find((schema) => schema.about !== undefined)?.about;
  return about === undefined ? 'it is missing' : `it is missing (${about})`;
}
