import { type Block, readBlocks } from '../read/read-blocks.ts';
import type { BlockScan, ScanOrder } from './scan-block.ts';
import {
  type BesideOrder,
  CLOSED,
  newSharedScan,
  OPEN,
  SCAN_BESIDE,
  SCANNED,
  scanOfSlots,
  TAKEN,
} from './scan-beside.ts';
import type { ScannedRows } from './scanned-rows.ts';

/** Runs `runTask` of a module in another thread; see src/thread. */
export type Beside = (module: URL, order: object) => AsyncGenerator<unknown, unknown>;

/**
 * Has another thread scan blocks while this one reads and checks. This thread scans needed blocks that the other has
 * not begun. Both find the same, so a late or dead helper costs only time.
 */
export function scanHelper(beside: Beside) {
  const shared = newSharedScan(SLOTS);
  const { count, states, sizes } = shared;
  const buffers = shared.slots.map(({ block }) => Buffer.from(block));
  let slots: ReturnType<typeof scanOfSlots>;
  /** Blocks that either thread may scan, the oldest first. */
  const open: Block[] = [];
  let blocks = 0;
  let isReady = false;

  /** Starts the helper. It counts as ready from its first message until it ends, for whatever reason. */
  function begin(order: ScanOrder, scanBlock: BlockScan): void {
    slots = scanOfSlots(shared, scanBlock);
    watch(beside(SCAN_BESIDE, { shared, order } satisfies BesideOrder)).catch(() => {});
  }

  async function watch(work: AsyncGenerator<unknown, unknown>): Promise<void> {
    try {
      for await (const _ of work) isReady = true;
    } finally {
      isReady = false;
    }
  }

  /**
   * Yields the blocks of a text in order, reading ahead while that helps. It announces many blocks at once, because
   * waking the other thread takes as long as scanning a block.
   */
  async function* readAhead(source: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
    const ahead: Block[] = [];
    for await (const block of readBlocks(source, buffers)) {
      const isHelped = isReady && !block.isLast;
      ahead.push(block);
      blocks += 1;
      if (isHelped) offer(block);
      if (isHelped && ahead.length < SLOTS - 1) continue;
      Atomics.store(count, 0, blocks);
      Atomics.notify(count, 0);
      const kept = isHelped ? SLOTS / 2 : 0;
      while (ahead.length > kept) yield ahead.shift()!;
    }
  }

  function offer(block: Block): void {
    sizes[block.slot] = block.bytes.length;
    Atomics.store(states, block.slot, OPEN);
    open.push(block);
  }

  /** Returns the rows found in a block; undefined when this thread must scan it. */
  function take(block: Block): ScannedRows | undefined {
    if (open[0] !== block) return undefined;
    open.shift();
    for (;;) {
      slots.scanOpen(block.slot);
      if (Atomics.load(states, block.slot) === SCANNED) return slots.rowsOf(block.slot);
      const other = open.findLast(({ slot }) => Atomics.load(states, slot) === OPEN);
      if (other) slots.scanOpen(other.slot);
      else if (!isReady || Atomics.wait(states, block.slot, TAKEN, PATIENCE_MS) === 'timed-out') break;
    }
    // The helper may still write to this memory, so its results no longer count.
    isReady = false;
    return undefined;
  }

  /** Stops the helper. */
  function close(): void {
    isReady = false;
    Atomics.store(count, 0, CLOSED);
    Atomics.notify(count, 0);
  }

  return { begin, readAhead, take, close };
}

/** Blocks that fit in memory. Reading ahead uses at most one less before the oldest is checked. */
const SLOTS = 12;

/** Scanning a block takes less than 1 ms. A helper this late is dead, or gets no processor time. */
const PATIENCE_MS = 100;
