/** Returns an address with a query. Empty values are left out, so that the same page has the same address. */
export function addressOf(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
