import { STEPS, testPartition } from './support/fail-network.ts';

testPartition(STEPS);
