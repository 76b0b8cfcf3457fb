import { testCanaries } from './support/run-canaries.ts';

testCanaries(['postgres', 'redis']);
