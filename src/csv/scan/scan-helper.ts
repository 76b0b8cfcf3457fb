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
 * Has another thread scan blocks while this one reads and checks; this one scans those that the other has not begun when
 * they are needed. What is found does not depend on who scans, so a helper that is not ready or gone costs time only.
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

  /** Starts it. It is ready from the first that is heard of it until its end, whatever that is. */
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
   * The blocks of a text in their order, some of them read ahead as long as that helps. The other thread hears of many at
   * once, because to wake it takes as long as to scan a block.
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

  /** What was found in a block; undefined for one that nobody scans. */
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
    // It may still write into this memory some day, so nothing in it counts any more.
    isReady = false;
    return undefined;
  }

  /** Ends what it is doing. */
  function close(): void {
    isReady = false;
    Atomics.store(count, 0, CLOSED);
    Atomics.notify(count, 0);
  }

  return { begin, readAhead, take, close };
}

/** Blocks for which there is memory, so one less can be read before the oldest is checked. */
const SLOTS = 12;

/** A block is scanned in less than one; whoever takes so much longer is dead, or gets no processor. */
const PATIENCE_MS = 100;
