import { describe, expect, it } from 'vitest';
import { COLUMNS, type ColumnKind } from '../../schemas/columns.ts';
import { LAYOUTS } from '../../schemas/layouts.ts';
import { FIELDS } from '../../schemas/fields.ts';
import { SPEC_LAYOUTS } from './spec-tables.ts';

const ROWS = Object.entries(COLUMNS);

describe('COLUMNS', () => {
  it('titles every column of the spec once, in its words', () => {
    const titles = ROWS.map(([, column]) => column.title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(new Set<string>(titles)).toEqual(new Set(SPEC_LAYOUTS.flatMap((layout) => layout.titles)));
  });

  it('holds no column that no layout has', () => {
    const used = new Set<string>(Object.values(LAYOUTS).flatMap((layout) => layout.columns));
    expect(ROWS.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it('lets commas be replaced in names, streets, cities and comments only', () => {
    const free = ROWS.filter(([, column]) => column.freeText).map(([name]) => name);
    expect(free).toEqual(['firstName', 'lastName', 'fullName', 'street', 'city', 'comment']);
    for (const [name, column] of ROWS) {
      if (column.freeText) expect(column, name).toMatchObject({ kind: 'text', required: false });
    }
  });

  it('demands what a payment cannot do without', () => {
    const required = ROWS.filter(([, column]) => column.required).map(([name]) => name);
    const names = 'accountNumber accountType amount cardNumber customerCode date expiry invoice mop';
    expect(required.toSorted()).toEqual(names.split(' '));
  });

  it.each([
    ['invoice', 'invoiceNum'],
    ['firstName', 'firstName'],
    ['lastName', 'lastName'],
    ['fullName', 'creditCardCustomerName'],
    ['street', 'address'],
    ['city', 'city'],
    ['state', 'state'],
    ['zipCode', 'zipCode'],
    ['amount', 'total'],
    ['mop', 'mop'],
    ['cardNumber', 'creditCardNum'],
    ['expiry', 'creditCardExpiry'],
    ['accountType', 'accountType'],
    ['accountNumber', 'accountNum'],
    ['customerCode', 'customerCode'],
    ['comment', 'comment'],
  ] as const)('%s carries the field %s', (column, field) => {
    expect(COLUMNS[column].field).toBe(field);
    expect(FIELDS).toHaveProperty(field);
  });

  it('carries no field in the date, which the service has in batch files only', () => {
    expect(COLUMNS.date).not.toHaveProperty('field');
  });

  it('has a column of every kind', () => {
    const kinds: Record<ColumnKind, true> = {
      date: true,
      invoice: true,
      text: true,
      amount: true,
      mop: true,
      cardNumber: true,
      expiry: true,
      accountType: true,
      accountNumber: true,
      customerCode: true,
    };
    expect(new Set<string>(ROWS.map(([, column]) => column.kind))).toEqual(new Set(Object.keys(kinds)));
  });
});
