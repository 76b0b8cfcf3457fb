import { BLOCK_BYTES } from '../read/read-blocks.ts';
import { type BlockScan, compileBlockScan, type ScanOrder } from './scan-block.ts';
import { SCANNED_BYTES, type ScannedRows, scannedRowsIn } from './scanned-rows.ts';

/** What two threads share to scan the blocks of one file: one reads and checks, the other scans open blocks. */
export type SharedScan = {
  /** Memory of a block and of the rows found in it, one slot per block read ahead. */
  readonly slots: readonly { readonly block: SharedArrayBuffer; readonly rows: SharedArrayBuffer }[];
  /** How many blocks were read so far, into one slot after another; CLOSED when no more come. */
  readonly count: Int32Array<SharedArrayBuffer>;
  /** State of each slot's block: OPEN, TAKEN by a thread that scans it, or SCANNED; and its size in bytes. */
  readonly states: Int32Array<SharedArrayBuffer>;
  readonly sizes: Int32Array<SharedArrayBuffer>;
};

export const CLOSED = -1;

export const SCANNED = 0;
export const OPEN = 1;
export const TAKEN = 2;

export function newSharedScan(slots: number): SharedScan {
  return {
    slots: Array.from({ length: slots }, () => ({
      block: new SharedArrayBuffer(BLOCK_BYTES),
      rows: new SharedArrayBuffer(SCANNED_BYTES),
    })),
    count: new Int32Array(new SharedArrayBuffer(4)),
    states: new Int32Array(new SharedArrayBuffer(4 * slots)),
    sizes: new Int32Array(new SharedArrayBuffer(4 * slots)),
  };
}

/** Returns one thread's view of the shared memory, with its scan function. */
export function scanOfSlots({ slots, states, sizes }: SharedScan, scanBlock: BlockScan) {
  const memory = slots.map(({ block, rows }) => ({ block: Buffer.from(block), rows: scannedRowsIn(rows) }));

  /** Scans the block of a slot, unless the other thread has claimed it. */
  function scanOpen(slot: number): void {
    if (Atomics.compareExchange(states, slot, OPEN, TAKEN) !== OPEN) return;
    const { block, rows } = memory[slot]!;
    const bytes = sizes[slot]!;
    scanBlock(block.subarray(0, bytes), 0, bytes, rows);
    Atomics.store(states, slot, SCANNED);
    Atomics.notify(states, slot);
  }

  return { scanOpen, rowsOf: (slot: number): ScannedRows => memory[slot]!.rows };
}

/** This module, for a thread to load. */
export const SCAN_BESIDE = new URL(import.meta.url);

/**
 * Yields that it is ready, then scans open blocks until no more come. It may lag a round behind, which is harmless: an
 * open slot needs scanning, whichever block it holds.
 */
export async function* runTask({ shared, order }: BesideOrder): AsyncGenerator<'ready', undefined> {
  const { count, slots } = shared;
  const { scanOpen } = scanOfSlots(shared, compileBlockScan(order));
  yield 'ready';
  for (let block = 0; ; block += 1) {
    while (Atomics.load(count, 0) === block) Atomics.wait(count, 0, block);
    if (Atomics.load(count, 0) === CLOSED) return undefined;
    scanOpen(block % slots.length);
  }
}

export type BesideOrder = { readonly shared: SharedScan; readonly order: ScanOrder };
