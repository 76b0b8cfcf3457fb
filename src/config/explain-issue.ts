import { Config } from '../../schemas/config.ts';
import { didYouMean } from './nearest.ts';

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
      const known = schemasAt(path).flatMap(keysOf);
      return issue.keys.map((key) => ({
        path: [...path, key],
        reason: `there is no such setting${didYouMean(key, known)}`,
      }));
    }
    case 'invalid_value':
      return say(oneOf(issue.values.map(String), valueAt(given, path)));
    case 'invalid_union': {
      const kinds = schemasAt(path.slice(0, -1)).flatMap((schema) => valuesOf(schema.shape?.[String(path.at(-1))]));
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
  const about = schemasAt(path).find((schema) => schema.about !== undefined)?.about;
  return about === undefined ? 'it is missing' : `it is missing (${about})`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (typeof at === 'object' && at ? Reflect.get(at, key) : undefined), value);
}

/** What zod keeps of a schema, as far as the configuration uses it. */
type Schema = {
  readonly description?: string | undefined;
  readonly _zod: { readonly def: object };
};

type Definition = {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly options?: readonly Schema[];
  readonly innerType?: Schema;
  readonly valueType?: Schema;
  readonly element?: Schema;
  readonly values?: readonly unknown[];
};

/** A schema without defaults and the like; `about` is its description. */
type Known = Definition & { readonly about: string | undefined };

/** Returns the schemas that a setting may have: several where one of its settings chooses. */
function schemasAt(path: Path): readonly Known[] {
  return path.reduce<readonly Known[]>(
    (schemas, key) =>
      schemas.flatMap(({ shape, valueType, element }) => {
        const next = shape ? shape[String(key)] : (valueType ?? element);
        return next ? openedAll(next) : [];
      }),
    openedAll(Config),
  );
}

/** Takes defaults and the like off a schema, and a choice apart. The outermost description counts. */
function openedAll(schema: Schema, outer?: string): readonly Known[] {
  const definition = schema._zod.def as Definition;
  const about = outer ?? schema.description;
  const { innerType, options } = definition;
  if (innerType) return openedAll(innerType, about);
  return options ? options.flatMap((option) => openedAll(option, about)) : [{ ...definition, about }];
}

function keysOf({ shape = {} }: Known): readonly string[] {
  return Object.keys(shape);
}

function valuesOf(schema: Schema | undefined): readonly string[] {
  return schema === undefined ? [] : openedAll(schema).flatMap(({ values = [] }) => values.map(String));
}
