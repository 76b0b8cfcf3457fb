import { expect, it } from 'vitest';
import { FIELDS } from '../../../schemas/fields.ts';
import { maxLengthOf } from '../../../src/csv/rules/rule-of-column.ts';

it('maxLengthOf gives the limit of the field that a column carries, and none where there is no field', () => {
  expect(maxLengthOf('customerCode')).toBe(FIELDS.customerCode.maxLength);
  expect(maxLengthOf('street')).toBe(FIELDS.address.maxLength);
  expect(maxLengthOf('date')).toBe(Infinity);
});
