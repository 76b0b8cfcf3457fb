import { testChangeOfKeys } from './support/change-keys.ts';

/** change-of-keys.soak.test.ts dies at every commit. */
testChangeOfKeys(['commit.after 2']);
