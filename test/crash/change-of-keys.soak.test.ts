import { testChangeOfKeys } from './support/change-keys.ts';

/** See change-of-keys.test.ts. */
testChangeOfKeys(['commit.before 1', 'commit.after 1', 'commit.after 2', 'commit.before 3', 'commit.after 3']);
