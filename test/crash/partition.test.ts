import { STEPS, testPartition } from './support/fail-network.ts';

/** Two of the steps after which the process goes on at once; partition.soak.test.ts has all. */
const QUICK = ['the COMMIT of the intent is done and its answer lost', 'the verdict is lost'];
testPartition(STEPS.filter(({ name }) => QUICK.includes(name)));
