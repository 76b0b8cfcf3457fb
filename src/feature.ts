import type { FeatureName } from '../schemas/features.ts';

/**
 * What a feature hands over, beside the rows that it adds to the tables (`src/features/<name>/rows.ts`). Each part of the
 * program that asks features for something declares its question here, next to the code that asks it; src/README.md lists
 * them. All but the name may be left out. Nothing that a feature answers can let money move: what the core has is never
 * replaced (`besideCore`), and a stage only ever asks for more reasons not to.
 *
 * The object is loaded with every command, so it holds no code of its own: functions load what they need when they are
 * called.
 */
export interface Feature {
  readonly name: FeatureName;
}

/** Returns what the core has by name, and behind it what features add. A name that the core has stays the core's. */
export function besideCore<Value>(
  core: Readonly<Record<string, Value>>,
  added: readonly (Readonly<Record<string, Value | undefined>> | undefined)[],
): Readonly<Record<string, Value>> {
  const others = added.flatMap((names) => Object.entries(names ?? {}));
  const all = new Map<string, Value>(Object.entries(core));
  for (const [name, value] of others) if (value !== undefined && !all.has(name)) all.set(name, value);
  return Object.fromEntries(all);
}
