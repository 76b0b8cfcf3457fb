import { testChangeOfKeys } from './support/change-keys.ts';

/** Dies around commits of a change. */
testChangeOfKeys(['commit.before 1', 'commit.after 1', 'commit.after 2', 'commit.before 3', 'commit.after 3']);
