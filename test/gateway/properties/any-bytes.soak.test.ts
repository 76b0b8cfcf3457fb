import { testBodies } from '../support/test-bodies.ts';

/** See any-bytes.test.ts. */
testBodies({ spoilt: 60, twisted: 90, garbage: 30 });
