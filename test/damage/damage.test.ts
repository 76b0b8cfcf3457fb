import { testDamages } from './play-file.ts';

/** damage.soak.test.ts plays more. */
testDamages(80);
