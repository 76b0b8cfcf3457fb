import { testParameters } from '../support/test-parameters.ts';

/** round-trip.soak.test.ts tries more. */
testParameters({ sound: 12, broken: 8 }, 300);
