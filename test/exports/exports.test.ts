import { describe, expect, it } from 'vitest';
import { checkProfile } from '../../src/csv/profile/check-profile.ts';
import { chooser } from '../csv/profile/support/made-payments.ts';
import { tryProperty } from '../support/random.ts';
import { makeExports, VARIANTS } from './made/exports.ts';
import { truthOf, writeSheet } from './made/sheet.ts';
import {
  changeExport,
  complainOfReasons,
  judgeChange,
  judgeFile,
  neverOtherPayments,
  newTried,
  sentBy,
} from './play-export.ts';

const EXPORTS = makeExports(1);

describe('two hundred exports of accounting systems', () => {
  it('come in all the ways that have a verdict', () => {
    expect(EXPORTS).toHaveLength(200);
    const seen = new Set(EXPORTS.map(({ variant }) => variant));
    const all = VARIANTS.flatMap(([variants]) => variants);
    expect(all.filter((variant) => !seen.has(variant))).toEqual([]);
  });

  it.each(EXPORTS)('$name: $variant.verdict', async (made) => {
    expect(checkProfile(made.profile, made.system.place)).toEqual([]);
    const judged = await judgeFile(made, writeSheet(made.sheet));
    const codes = judged.faults.map(({ code }) => code);
    expect([judged.verdict, codes]).toEqual([
      made.variant.verdict,
      expect.arrayContaining(made.variant.code ? [made.variant.code] : []),
    ]);
    expect(complainOfReasons(judged, [])).toBeUndefined();
    if (judged.verdict === 'accept') expect(judged.sent).toEqual(sentBy(made.system, truthOf(made.sheet)));
  });
});

/** exports.soak.test.ts tries more. */
describe('exports that are changed', () => {
  it('are never accepted with other payments', async () => {
    const tried = newTried();
    await tryProperty(neverOtherPayments(tried), 400);
    expect(tried.endings.true).toBeGreaterThan(0);
  });

  it('would be found if a profile read another column, or took what it must not', async () => {
    const made = EXPORTS.find(({ name }) => name === 'libreoffice, every cell quoted')!;
    const { columns, ...rest } = made.profile;
    const other = { ...rest, columns: { ...columns, amount: { ...columns.amount, from: 'Balance' } } };
    const seeds = Array.from({ length: 40 }, (_, seed) => seed);
    const found = await Promise.all(
      seeds.map((seed) => judgeChange(changeExport({ ...made, profile: other }, seed, () => chooser(seed)))),
    );
    expect(found.filter(({ complaint }) => complaint?.startsWith('accepted with')).length).toBeGreaterThan(3);
  });
});
