import type { Drop } from '../world.ts';

/** Returns the lines of a payment file, read in the simplest way. Only accepted files must be read right. */
export function linesOf(bytes: Buffer): string[] {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = bytes.toString(isWide ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
  // The Ctrl-Z of old programs is no row, even when blank lines follow it.
  return text.replace(/\x1a+\s*$/, '').split(/\r\n|\r|\n/);
}

/** Counts data rows: lines that are not blank, less the titles. */
export function countRows(drop: Drop): number {
  const filled = linesOf(drop.bytes).filter((line) => line.trim() !== '');
  return filled.length - (drop.titles ? 1 : 0);
}
