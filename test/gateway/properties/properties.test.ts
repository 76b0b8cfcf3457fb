import { testFramings } from '../support/test-framings.ts';
import { testCustomers } from '../support/test-customers.ts';
import { testParameters } from '../support/test-parameters.ts';

/** any-framing.soak.test.ts tries more. */
testFramings(6);

/** customer-round-trip.soak.test.ts tries more. */
testCustomers(16);

/** round-trip.soak.test.ts tries more. */
testParameters({ sound: 3, broken: 2 }, 60);
