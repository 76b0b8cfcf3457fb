import { testParameters } from '../support/test-parameters.ts';

/** round-trip.soak.test.ts tries more. */
testParameters({ sound: 6, broken: 4 }, 150);
