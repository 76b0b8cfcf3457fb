import { STEPS, testPartition } from './support/fail-network.ts';

/** See partition.test.ts. */
testPartition(STEPS);
