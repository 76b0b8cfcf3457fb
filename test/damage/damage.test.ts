import { testDamages } from './play-files.ts';

/** damage.soak.test.ts plays more. */
testDamages(80);
