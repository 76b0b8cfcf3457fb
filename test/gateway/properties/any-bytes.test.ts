import { testBodies } from '../support/test-bodies.ts';

/** any-bytes.soak.test.ts tries more. */
testBodies({ spoilt: 8, twisted: 12, garbage: 4 });
