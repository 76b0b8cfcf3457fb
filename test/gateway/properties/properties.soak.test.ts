import { testFramings } from '../support/test-framings.ts';
import { testCustomers } from '../support/test-customers.ts';
import { testParameters } from '../support/test-parameters.ts';

/** See any-framing.test.ts. */
testFramings(200);

/** See customer-round-trip.test.ts. */
testCustomers(200);

/** See round-trip.test.ts. */
testParameters({ sound: 200, broken: 80 }, 6_000);
