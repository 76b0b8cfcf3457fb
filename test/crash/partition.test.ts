import { STEPS, testPartition } from './support/fail-network.ts';

/** The steps after which the process goes on at once; partition.soak.test.ts has those as well that wait for a lease. */
const QUICK = [
  'before it is prepared, hanging',
  'the COMMIT of the intent is lost',
  'the COMMIT of the intent is done and its answer lost',
  'the verdict is lost',
  'the verdict hangs',
  'the COMMIT of the verdict is done, its answer lost',
];
testPartition(STEPS.filter(({ name }) => QUICK.includes(name)));
