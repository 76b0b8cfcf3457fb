import { testDay } from './support/dashboard-day.ts';

/** walk.soak.test.ts adds a faulty file, a second person and a batch in doubt. */
testDay({ isWhole: false });
