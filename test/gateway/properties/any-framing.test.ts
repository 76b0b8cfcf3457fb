import { testFramings } from '../support/test-framings.ts';

/** any-framing.soak.test.ts tries more. */
testFramings(6);
