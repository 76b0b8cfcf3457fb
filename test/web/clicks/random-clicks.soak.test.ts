import { randomInt } from 'node:crypto';
import { testClicks } from './support/click-through.ts';

testClicks({
  actions: 5_000,
  files: 60,
  seeds: [{ which: 'the same in every run', seed: 20_261_122 }],
  least: { actions: 6, refusals: 1, charges: 51 },
});
testClicks({
  actions: 1_000,
  files: 12,
  seeds: [{ which: 'what nobody has clicked before', seed: randomInt(1, 2 ** 31) }],
  least: { actions: 3, refusals: 1, charges: 4 },
});
