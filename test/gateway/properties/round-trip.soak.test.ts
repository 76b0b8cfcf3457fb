import { testParameters } from '../support/test-parameters.ts';

/** See round-trip.test.ts. */
testParameters({ sound: 200, broken: 80 }, 6_000);
