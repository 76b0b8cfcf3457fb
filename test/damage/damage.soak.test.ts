import { longRun } from '../support/random.ts';
import { testDamages } from './damaged-file.ts';

/** Many damaged files; PAYDROP_TEST_RUNS says how many, and PAYDROP_TEST_RECORD where the record of them goes. */
testDamages(longRun(4_000));
