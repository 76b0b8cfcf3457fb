import { testDamages } from './play-files.ts';

/** See damage.test.ts. */
testDamages(2_000);
