import { afterEach, describe, expect, it } from 'vitest';
import {
  type BesideOrder,
  CLOSED,
  newSharedScan,
  OPEN,
  runTask,
  SCAN_BESIDE,
  SCANNED,
  scanOfSlots,
  TAKEN,
} from '../../../src/csv/scan/scan-beside.ts';
import { compileBlockScan } from '../../../src/csv/scan/scan-block.ts';
import { ROWS } from '../../../src/csv/scan/scanned-rows.ts';
import { openThread, type WorkThread } from '../../../src/thread/open-thread.ts';
import { cardLines, rulesWith } from '../support.ts';

const ORDER = { layout: 'card', rules: rulesWith(), hashKey: Uint32Array.of(1, 2) } as const;

let thread: WorkThread | undefined;
afterEach(() => thread?.close());

function put(shared: BesideOrder['shared'], slot: number, rows: number): void {
  const text = cardLines(rows)
    .map((line) => `${line}\n`)
    .join('');
  shared.sizes[slot] = Buffer.from(shared.slots[slot]!.block).write(text);
  Atomics.store(shared.states, slot, OPEN);
}

describe('scanOfSlots', () => {
  it('scans a block that is open, and leaves those alone that the other thread has', () => {
    const shared = newSharedScan(3);
    const { scanOpen, rowsOf } = scanOfSlots(shared, compileBlockScan(ORDER));
    for (const slot of [0, 1, 2]) put(shared, slot, slot + 1);
    shared.states.set([TAKEN, SCANNED], 1);
    for (const slot of [0, 1, 2]) scanOpen(slot);
    expect([0, 1, 2].map((slot) => rowsOf(slot).counts[ROWS])).toEqual([1, 0, 0]);
    expect([...shared.states]).toEqual([SCANNED, TAKEN, SCANNED]);
  });

  it('sees nothing of what a slot held before', () => {
    const shared = newSharedScan(1);
    const { scanOpen, rowsOf } = scanOfSlots(shared, compileBlockScan(ORDER));
    put(shared, 0, 9);
    put(shared, 0, 2);
    scanOpen(0);
    expect(rowsOf(0).counts[ROWS]).toBe(2);
  });
});

describe('runTask', () => {
  it('scans what is open, slot after slot and round after round, until it is told that no more comes', async () => {
    const shared = newSharedScan(2);
    thread = openThread();
    const work = thread.run(SCAN_BESIDE, { shared, order: ORDER } satisfies BesideOrder);
    expect(await work.next()).toEqual({ done: false, value: 'ready' });
    const { rowsOf } = scanOfSlots(shared, compileBlockScan(ORDER));
    for (let block = 0; block < 5; block += 1) {
      put(shared, block % 2, block + 1);
      Atomics.store(shared.count, 0, block + 1);
      Atomics.notify(shared.count, 0);
      while (Atomics.load(shared.states, block % 2) !== SCANNED) Atomics.wait(shared.states, block % 2, TAKEN, 1);
      expect(rowsOf(block % 2).counts[ROWS]).toBe(block + 1);
    }
    Atomics.store(shared.count, 0, CLOSED);
    Atomics.notify(shared.count, 0);
    expect((await work.next()).done).toBe(true);
  });

  it('ends at once when nobody needs it any more', async () => {
    const shared = newSharedScan(1);
    Atomics.store(shared.count, 0, CLOSED);
    const work = runTask({ shared, order: ORDER });
    expect(await work.next()).toEqual({ done: false, value: 'ready' });
    expect(await work.next()).toEqual({ done: true, value: undefined });
  });
});
