import { expect, it } from 'vitest';
import { freshSeed } from '../../support/random.ts';
import { judgeExport } from '../profile/support/judge-export.ts';

it('is right where it is sure, and reads what it was told, in a thousand exports', async () => {
  const first = freshSeed();
  let sure = 0;
  for (let seed = first; seed < first + 1_000; seed += 1) sure += await judgeExport(seed);
  expect(sure).toBeGreaterThan(1_000);
}, 300_000);
