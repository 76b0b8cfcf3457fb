import { testDamages } from './damaged-file.ts';

/** Few damaged files; damage.soak.test.ts tries more. */
testDamages({ runs: 160, limitMs: 300_000, record: undefined });
