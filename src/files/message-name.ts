/** Endings of the names of OpenPGP messages. The name decides what a drop is, never its bytes. */
const ENDING = /\.(?:pgp|gpg|asc)$/i;

/** Whether a drop of this name is an OpenPGP message. */
export function isMessageName(name: string): boolean {
  return ENDING.test(name);
}

/** `monday` of `monday.csv` and of `monday.csv.pgp`: what is written about both is named alike. */
export function stemOf(name: string): string {
  return name.replace(ENDING, '').replace(/\.csv$/i, '');
}
