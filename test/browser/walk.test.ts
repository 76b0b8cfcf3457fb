import { testDay } from './support/desk-day.ts';

/** walk.soak.test.ts goes on with a faulty file, a second person and a batch in doubt. */
testDay({ isWhole: false });
