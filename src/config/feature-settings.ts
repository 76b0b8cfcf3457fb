import { FEATURE_ROWS, SECRET_PATHS } from '../../schemas/features.ts';
import type { FeatureRows } from '../../schemas/table-rows.ts';
import type { ShapeFault } from './explain-issue.ts';

/** Returns the settings of features that are left out: without the feature they would do nothing, in silence. */
export function findLeftOut(given: unknown): ShapeFault[] {
  const { features, accounts, folders }: { features?: unknown; accounts?: unknown; folders?: unknown } = Object(given);
  const places = [
    ['settings', [{ path: [], of: given }]],
    ['accountSettings', Object.entries(Object(accounts)).map(([name, of]) => ({ path: ['accounts', name], of }))],
    ['folderSettings', Object.entries(Object(folders)).map(([name, of]) => ({ path: ['folders', Number(name)], of }))],
  ] as const;
  return Object.entries<FeatureRows>(FEATURE_ROWS)
    .filter(([feature]) => Object(features)[feature] === false)
    .flatMap(([feature, rows]) =>
      places.flatMap(([part, at]) =>
        at.flatMap(({ path, of }) =>
          Object.keys(rows[part] ?? {})
            .filter((name) => Object.hasOwn(Object(of), name))
            .map((name) => ({
              path: [...path, name],
              reason: `it belongs to "${feature}", which is left out: take it out too, or take "${feature}" out of "features"`,
            })),
        ),
      ),
    );
}

/**
 * Returns a configuration with the secrets of features read (`secrets` in their rows).
 * @param read returns a secret by the text that stands at its path
 */
export function withSecretsOfFeatures<Value>(config: Value, read: (path: string, text: string) => string): Value {
  return SECRET_PATHS.reduce((value, path) => withSecrets(value, path.split('.'), [], read), config);
}

/** Returns a value with its secrets at a path read; `*` stands for each name, or each entry of a list. */
function withSecrets<Value>(
  value: Value,
  [name, ...deeper]: readonly string[],
  at: readonly string[],
  read: (path: string, text: string) => string,
): Value {
  if (name === undefined) return typeof value === 'string' ? (read(at.join('.'), value) as Value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const changed = Object.entries(value).map(([key, inner]: [string, unknown]) =>
    name === '*' || name === key ? [key, withSecrets(inner, deeper, [...at, key], read)] : [key, inner],
  );
  return (Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)) as Value;
}
