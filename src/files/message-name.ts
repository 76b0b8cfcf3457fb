/** File name endings of OpenPGP messages. The name decides what a drop is, never its bytes. */
const ENDING = /\.(?:pgp|gpg|asc)$/i;

export function isMessageName(name: string): boolean {
  return ENDING.test(name);
}

/** Returns `monday` for both `monday.csv` and `monday.csv.pgp`, so that the outputs of both are named alike. */
export function stemOf(name: string): string {
  return name.replace(ENDING, '').replace(/\.csv$/i, '');
}
