import * as FEATURE_ROWS from './feature-list.ts';
import type { FeatureRows } from './table-rows.ts';

/** The rows that features add to the tables, by the names of the features: those of their folders in `src/features`. */
export { FEATURE_ROWS };

export type FeatureName = keyof typeof FEATURE_ROWS;

/** Names of the features that `features` of the configuration can leave out. */
export const FEATURE_NAMES = Object.keys(FEATURE_ROWS) as [FeatureName, ...FeatureName[]];

type AllRows = (typeof FEATURE_ROWS)[FeatureName];

/** Paths of the settings of features that are secrets. */
export const SECRET_PATHS: readonly string[] = Object.values<FeatureRows>(FEATURE_ROWS).flatMap(
  ({ secrets = [] }) => secrets,
);

/** Files of statements with the tables of features; none uses tables of another feature. */
export const FEATURE_TABLES: readonly URL[] = Object.values<FeatureRows>(FEATURE_ROWS).flatMap(
  ({ tables }) => tables ?? [],
);

/**
 * Returns the rows of a table: those of the core, then those that features add.
 * @throws Error when a feature adds a name that the core or another feature has: a row is never replaced
 */
export function withRows<Core extends object, Part extends TablePart>(core: Core, part: Part): Core & RowsOf<Part> {
  const rows: Record<string, unknown> = Object.fromEntries(Object.entries(core));
  for (const [feature, { [part]: added = {} }] of Object.entries<FeatureRows>(FEATURE_ROWS))
    for (const [name, row] of Object.entries(added)) {
      if (Object.hasOwn(rows, name))
        throw new Error(`the feature "${feature}" adds "${name}" to ${part}, which is there`);
      rows[name] = row;
    }
  return rows as Core & RowsOf<Part>;
}

type TablePart = Exclude<keyof FeatureRows, 'tables' | 'secrets'>;

type RowsOf<Part> = Whole<
  AllRows extends infer One ? (One extends { readonly [Name in Part & string]: infer Rows } ? Rows : never) : never
>;

/** Puts the members of a union together; without members it is an object of which nothing is known. */
type Whole<Union> = [Union] extends [never]
  ? object
  : (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
    ? All
    : never;
