import { testFramings } from '../support/test-framings.ts';
import { testCustomers } from '../support/test-customers.ts';
import { testParameters } from '../support/test-parameters.ts';

/** See properties.test.ts. */
testFramings(200);
testCustomers(200);
testParameters({ sound: 200, broken: 80 }, 6_000);
