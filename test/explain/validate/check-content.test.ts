import { expect, it } from 'vitest';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import { checkContent } from '../../../src/explain/validate/check-content.ts';
import { rulesOfFolder } from '../../../src/explain/validate/rules-of-folder.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';

const account = AccountConfig.parse({
  server: 'NA',
  country: 'US',
  currency: 'USD',
  agentCode: 'A',
  password: 'P',
});
const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation: 'card' });
const rules = rulesOfFolder(account, { ...folder, routingCheck: false }, new Date('2026-06-15T12:00:00Z'));

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 1_000) yield Buffer.from(text.slice(at, at + 1_000));
}

it('checkContent hands on every row, and reads on only when a group was taken', async () => {
  const taken: number[] = [];
  let isTaking = false;
  const text = lines(upTo(1_500).map((n) => cardRow(n, n === 700 ? { amount: 'ten' } : {})));
  const check = await checkContent(pieces(text), rules, async ({ packed, withheld }) => {
    expect(isTaking).toBe(false);
    isTaking = true;
    await Promise.resolve();
    taken.push(...packed.lines.subarray(0, packed.count), ...withheld.map(({ raw }) => raw.line));
    isTaking = false;
  });
  expect(taken.toSorted((one, other) => one - other)).toEqual(upTo(1_500));
  expect(check).toMatchObject({ verdict: 'accept', records: 1_500, valid: { rows: 1_499, cents: 149_900 * 25 } });
});

it('checkContent passes on what goes wrong with the source', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines([cardRow(1)]));
    throw new Error('cut off');
  }
  await expect(checkContent(broken(), rules, () => {})).rejects.toThrow('cut off');
});

it('checkContent says the same of a file that is taken for a large one, and passes on what goes wrong', async () => {
  const text = lines(upTo(4_000).map((n) => cardRow(n, n % 700 === 0 ? { amount: 'ten' } : {})));
  const plain = await checkContent(pieces(text), rules, () => {});
  expect(await checkContent(pieces(text), rules, () => {}, { contentBytes: 1_000_000_000 })).toEqual(plain);
  const failing = checkContent(pieces(text), rules, () => Promise.reject(new Error('full')), {
    contentBytes: 1_000_000_000,
  });
  await expect(failing).rejects.toThrow('full');
});
