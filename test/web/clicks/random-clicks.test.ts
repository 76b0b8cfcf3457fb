import { randomInt } from 'node:crypto';
import { testClicks } from './support/click-through.ts';

/** random-clicks.soak.test.ts clicks for longer. */
testClicks({
  actions: 110,
  files: 4,
  seeds: [
    { which: 'the same in every run', seed: 20_261_122 },
    { which: 'what nobody has clicked before', seed: randomInt(1, 2 ** 31) },
  ],
  least: { deeds: 0, refusals: 0, charges: 1 },
});
