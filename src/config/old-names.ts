/** Former names of settings. They still work in this version, with a warning. */
const SETTINGS: Readonly<Record<string, string>> = { desk: 'dashboard' };
/** Former names of environment variables, likewise. */
const VARIABLES: Readonly<Record<string, string>> = { PAYDROP_DESK: 'PAYDROP_DASHBOARD' };

/**
 * Puts what stands under a former name under the present one. A setting that is given under both stays, and is then refused
 * as unknown; of a variable the present name counts.
 * @returns also one sentence for each former name that was used
 */
export function renameOld(
  given: unknown,
  env: NodeJS.ProcessEnv,
): { given: unknown; env: NodeJS.ProcessEnv; warnings: string[] } {
  const settings = isTable(given) ? rename(given, SETTINGS) : { renamed: given, used: [] };
  const variables = rename(env, VARIABLES);
  const warnings = [...settings.used, ...variables.used].map(
    ([old, name]) =>
      `"${old}" is now called "${name}"; rename it, because a later version will not accept the old name`,
  );
  return { given: settings.renamed, env: variables.renamed, warnings };
}

function isTable(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function rename<Value>(
  table: Readonly<Record<string, Value>>,
  names: Readonly<Record<string, string>>,
): { renamed: Record<string, Value>; used: [old: string, name: string][] } {
  // An empty variable counts as left out, as everywhere.
  const used = Object.entries(names).filter(([old, name]) => table[old] !== undefined && isLeftOut(table[name]));
  let renamed = { ...table };
  for (const [old, name] of used) {
    const { [old]: value, ...others } = renamed;
    renamed = { ...others, [name]: value! };
  }
  return { renamed, used };
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === '';
}
