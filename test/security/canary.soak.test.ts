import { testCanaries } from './support/run-canaries.ts';

/** See canary.test.ts. */
testCanaries(['postgres', 'redis']);
