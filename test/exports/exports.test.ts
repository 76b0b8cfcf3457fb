import { describe, expect, it } from 'vitest';
import { checkProfile } from '../../src/csv/profile/check-profile.ts';
import { freshSeed } from '../support/random.ts';
import { makeExports, VARIANTS } from './made/exports.ts';
import { truthOf, writeSheet } from './made/sheet.ts';
import { complainOfReasons, judgeFile, playExport, playExports, sentBy } from './play-export.ts';

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

/** exports.soak.test.ts plays more, `npm run exports` a thousand changes of each. */
describe('exports that are changed', () => {
  it.each([1, freshSeed()])('are never accepted with other payments (seed %i)', async (seed) => {
    const { complaints, endings } = await playExports(seed, 1);
    expect(complaints).toEqual([]);
    expect(endings.true).toBeGreaterThan(0);
  });

  it('would be found if a profile read another column, or took what it must not', async () => {
    const made = EXPORTS.find(({ name }) => name === 'libreoffice, every cell quoted')!;
    const { columns, ...rest } = made.profile;
    const other = { ...rest, columns: { ...columns, amount: { ...columns.amount, from: 'Balance' } } };
    const seeds = Array.from({ length: 40 }, (_, seed) => seed);
    const found = await Promise.all(seeds.map((seed) => playExport({ ...made, profile: other }, seed)));
    expect(found.filter(({ complaint }) => complaint?.startsWith('accepted with')).length).toBeGreaterThan(3);
  });
});
