/** Lists where a payload is wrong and how, without its values, which may be anything. */
export function listFaults(error: { issues: readonly { path: readonly PropertyKey[]; code: string }[] }): string[] {
  return error.issues.map(({ path, code }) => [...path.map(String), code].join(' '));
}
