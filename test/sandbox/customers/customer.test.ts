import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../schemas/operations.ts';
import { CONTACT_FIELDS } from '../../../src/sandbox/customers/customer.ts';

describe('CONTACT_FIELDS', () => {
  it.each(['createCreditCardCustomerCode', 'createACHEFTCustomerCode', 'updateACHEFTCustomerCode'] as const)(
    'are all elements of %s',
    (operation) => {
      const wire: readonly string[] = OPERATIONS[operation].wire;
      expect(CONTACT_FIELDS.filter((field) => !wire.includes(field))).toEqual([]);
    },
  );
});
