import { testFramings } from '../support/test-framings.ts';
import { testCustomers } from '../support/test-customers.ts';
import { testParameters } from '../support/test-parameters.ts';

/** properties.soak.test.ts tries more. */
testFramings(6);
testCustomers(16);
testParameters({ sound: 3, broken: 2 }, 60);
