import { testCustomers } from '../support/test-customers.ts';

/** See customer-round-trip.test.ts. */
testCustomers(200);
