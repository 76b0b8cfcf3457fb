import { hideCards } from '../../kernel/mask.ts';

/**
 * The ways by which a command writes to its terminal or pipe. Each masks card numbers: what a person typed, or a file
 * holds in the wrong place, may be quoted by any message.
 */

/** Writes a line to standard output. */
export function sayOut(line: string): void {
  console.log(hideCards(line));
}

/** Writes a line to standard error. */
export function sayErr(line: string): void {
  console.error(hideCards(line));
}

/** Writes text to standard output as it is, without a line end. */
export function putOut(text: string): void {
  process.stdout.write(hideCards(text));
}

/** Writes paydrop's own pages, which name the published test numbers and quote nobody. */
export function sayOwn(text: string): void {
  console.log(text);
}
