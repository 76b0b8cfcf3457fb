import { testFramings } from '../support/test-framings.ts';

/** See any-framing.test.ts. */
testFramings(200);
