import { testBodies } from '../support/test-bodies.ts';

/** any-bytes.soak.test.ts tries more. */
testBodies({ spoilt: 4, twisted: 6, garbage: 2 });
