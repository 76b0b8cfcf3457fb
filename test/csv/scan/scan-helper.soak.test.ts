import { describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../../src/csv/check/check-payment-file.ts';
import { type BesideOrder, OPEN, SCAN_BESIDE, TAKEN } from '../../../src/csv/scan/scan-beside.ts';
import { checkByBytes } from '../compare/check-by-bytes.ts';
import { cardLine, chunksOf, rulesWith } from '../support.ts';

type Beside = NonNullable<CheckOptions['beside']>;

/** About eight blocks that contain everything that can happen to a row. */
const FILE = Array.from({ length: 11_000 }, (_, n) => {
  const odd = [{ city: '"A, B"' }, { city: 'Zürich' }, { expiry: '0101' }, { invoice: 'N-1' }][n % 97] ?? {};
  return `${cardLine({ invoice: `N-${n}`, ...odd })}\n`;
}).join('');

/** Yields the file in pieces, and lets other work run in between. */
async function* source(): AsyncGenerator<Uint8Array> {
  for await (const piece of chunksOf(FILE)) {
    yield piece;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const alone = checkByBytes(source(), rulesWith(), 1);

describe('scanHelper', () => {
  it.each<[string, Beside]>([
    ['fails when it is asked for', () => failing(0)],
    ['fails when it was ready', () => failing(1)],
    ['never gets ready', () => silent(0)],
    ['is ready and does nothing', () => silent(1)],
    [
      'takes a block and never gives it back',
      (_module, order) => {
        const { states } = (order as BesideOrder).shared;
        return greedy(states);
      },
    ],
  ])('changes nothing when the other thread %s', async (_how, beside) => {
    expect(await checkByBytes(source(), rulesWith(), 1, beside)).toEqual(await alone);
  });

  it('asks the thread for the scan of this file, and hands on no more of the rules than that needs', async () => {
    const asked: [URL, BesideOrder][] = [];
    const rules = { ...rulesWith(), password: 'hidden' };
    await checkByBytes(source(), rules, 1, (module, order) => {
      asked.push([module, order as BesideOrder]);
      return silent(0);
    });
    expect(asked).toHaveLength(1);
    const [module, { order }] = asked[0]!;
    expect(module).toEqual(SCAN_BESIDE);
    expect(order.layout).toBe('card');
    expect(structuredClone(order)).toEqual(order);
    expect(JSON.stringify(order)).not.toContain('hidden');
  });

  it('tells the thread that no more comes, also when nobody takes the rest', async () => {
    const counts: Int32Array[] = [];
    const beside: Beside = (_module, order) => {
      counts.push((order as BesideOrder).shared.count);
      return silent(1);
    };
    await checkByBytes(source(), rulesWith(), 1, beside);
    const { checkPaymentFile } = await import('../../../src/csv/check/check-payment-file.ts');
    for await (const _ of checkPaymentFile(source(), rulesWith(), { groupLines: 1, beside })) break;
    expect(counts.map((count) => Atomics.load(count, 0))).toEqual([-1, -1]);
  });
});

/** Acts as a thread that may report ready, and is then silent. */
async function* silent(items: number): AsyncGenerator<string, undefined> {
  for (let item = 0; item < items; item += 1) yield 'ready';
  await new Promise(() => {});
  return undefined;
}

async function* failing(items: number): AsyncGenerator<string, undefined> {
  for (let item = 0; item < items; item += 1) yield 'ready';
  throw new Error('it broke');
}

/** Takes the first open block it finds. */
async function* greedy(states: Int32Array): AsyncGenerator<string, undefined> {
  yield 'ready';
  for (;;) {
    const slot = states.indexOf(OPEN);
    if (slot >= 0) {
      Atomics.store(states, slot, TAKEN);
      return undefined;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
