import { testBodies } from '../support/test-bodies.ts';

/** See any-bytes.test.ts. */
testBodies({ spoilt: 100, twisted: 150, garbage: 50 });
