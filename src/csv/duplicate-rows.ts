import { randomBytes } from 'node:crypto';
import { keyedHash } from './keyed-hash.ts';

/** Slots of the empty table; always a power of two, so that a mask finds the slot. */
const FIRST_SLOTS = 1024;

/**
 * Remembers payments by a hash of 64 bits and the line of each, to find the second of two that are alike (F29). A
 * million rows take 24 MB in three typed arrays; keeping the texts would take ten times that, and keep card numbers.
 *
 * Two different payments have the same hash once in some thirty million files of a million rows. The second is then
 * reported as a duplicate, and a person who looks at both lines sees that it is none.
 */
export function duplicateRows() {
  const hashText = keyedHash(new Uint32Array(new Uint8Array(randomBytes(8)).buffer));
  const hash = new Uint32Array(2);
  let table = newTable(FIRST_SLOTS);
  let used = 0;

  /**
   * The line on which this payment stood first, or undefined when this is the first.
   * @param line counted from 1; 0 marks an empty slot
   */
  function findFirstLine(payment: string, line: number): number | undefined {
    hashText(payment, hash);
    const slot = findSlot(table, hash[0]!, hash[1]!);
    const firstLine = table.lines[slot]!;
    if (firstLine > 0) return firstLine;
    fillSlot(table, slot, hash[0]!, hash[1]!, line);
    used += 1;
    if (used * 2 > table.lines.length) table = doubled(table);
    return undefined;
  }

  return { findFirstLine };
}

type Table = { readonly low: Uint32Array; readonly high: Uint32Array; readonly lines: Uint32Array };

function newTable(slots: number): Table {
  return { low: new Uint32Array(slots), high: new Uint32Array(slots), lines: new Uint32Array(slots) };
}

/** The slot of this hash, or the empty one where it belongs. Half of the slots are empty, so the walk ends. */
function findSlot(table: Table, low: number, high: number): number {
  const mask = table.lines.length - 1;
  let slot = low & mask;
  while (table.lines[slot] !== 0 && (table.low[slot] !== low || table.high[slot] !== high)) slot = (slot + 1) & mask;
  return slot;
}

function fillSlot(table: Table, slot: number, low: number, high: number, line: number): void {
  table.low[slot] = low;
  table.high[slot] = high;
  table.lines[slot] = line;
}

function doubled(table: Table): Table {
  const larger = newTable(table.lines.length * 2);
  table.lines.forEach((line, slot) => {
    if (line === 0) return;
    const [low, high] = [table.low[slot]!, table.high[slot]!];
    fillSlot(larger, findSlot(larger, low, high), low, high, line);
  });
  return larger;
}
