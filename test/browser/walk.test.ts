import { testDay } from './support/desk-day.ts';

/** walk.soak.test.ts adds a faulty file, a second person and a batch in doubt. */
testDay({ isWhole: false });
