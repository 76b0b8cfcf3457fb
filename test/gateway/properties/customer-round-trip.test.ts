import { testCustomers } from '../support/test-customers.ts';

/** customer-round-trip.soak.test.ts tries more. */
testCustomers(16);
