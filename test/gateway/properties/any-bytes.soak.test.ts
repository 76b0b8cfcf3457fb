import { testBodies } from '../support/test-bodies.ts';

testBodies({ spoilt: 60, twisted: 90, garbage: 30 });
