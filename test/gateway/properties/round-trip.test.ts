import { testParameters } from '../support/test-parameters.ts';

/** round-trip.soak.test.ts tries more. */
testParameters({ sound: 3, broken: 2 }, 60);
