import { describe, expect, it } from 'vitest';
import {
  type ColumnKind,
  COLUMNS,
  columnsOf,
  COUNTRIES,
  type Country,
  type LayoutName,
  layoutOf,
  LAYOUTS,
} from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import { FIELDS } from '../../schemas/fields.ts';
import { SPEC_FIELDS, SPEC_LAYOUTS, SPEC_VALUES } from './spec-tables.ts';

const NAMES = Object.keys(LAYOUTS) as LayoutName[];
const OPERATIONS = Object.keys(FOLDER_OPERATIONS) as FolderOperation[];
const COUNTS = Array.from({ length: 21 }, (_, count) => count);

describe('LAYOUTS', () => {
  it('are those of the specification: operations, columns in order, clients', () => {
    const ours = NAMES.map((name) => ({
      operations: LAYOUTS[name].operations.map((operation) => FOLDER_OPERATIONS[operation].operation as string),
      titles: columnsOf(name).map((column) => COLUMNS[column].title as string),
      ...(clientsOf(name).length > 0 && { clients: clientsOf(name) }),
    }));
    expect(ours).toEqual(SPEC_LAYOUTS);
  });

  it('give each country exactly one card layout without customer codes', () => {
    expect(COUNTRIES).toEqual(['US', 'CA', 'UK']);
    expect(NAMES.flatMap(clientsOf).toSorted()).toEqual([...COUNTRIES].toSorted());
  });
});

describe('layoutOf', () => {
  it.each([
    ['ach-charge', 7, 'ach'],
    ['ach-refund', 7, 'ach'],
    ['ach-charge', 4, 'ach-code'],
    ['ach-refund', 4, 'ach-code'],
    ['card', 12, 'card'],
    ['card', 7, 'card-ca'],
    ['card', 4, 'card-code'],
  ] as const)('%s with %i columns is %s', (operation, count, layout) => {
    expect(layoutOf(operation, count)).toBe(layout);
  });

  it('never has to choose: operation and number of columns name at most one layout', () => {
    for (const operation of OPERATIONS) {
      for (const count of COUNTS) {
        const fitting = NAMES.filter((name) => serves(name, operation) && columnsOf(name).length === count);
        expect(fitting.length, `${operation} with ${count} columns: ${fitting.join(', ')}`).toBeLessThanOrEqual(1);
        expect(layoutOf(operation, count)).toBe(fitting[0]);
      }
    }
  });
});

function serves(name: LayoutName, operation: FolderOperation): boolean {
  const operations: readonly FolderOperation[] = LAYOUTS[name].operations;
  return operations.includes(operation);
}

function clientsOf(name: LayoutName): readonly Country[] {
  const layout = LAYOUTS[name];
  return 'countries' in layout ? layout.countries : [];
}

const COLUMN_ROWS = Object.entries(COLUMNS);

describe('COLUMNS', () => {
  it('titles every column of the spec once, in its words', () => {
    const titles = COLUMN_ROWS.map(([, column]) => column.title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(new Set<string>(titles)).toEqual(new Set(SPEC_LAYOUTS.flatMap((layout) => layout.titles)));
  });

  it('holds no column that no layout has', () => {
    const used = new Set<string>(Object.values(LAYOUTS).flatMap((layout) => layout.columns));
    expect(COLUMN_ROWS.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it('lets commas be replaced in names, streets, cities and comments only', () => {
    const free = COLUMN_ROWS.filter(([, column]) => column.freeText).map(([name]) => name);
    expect(free).toEqual(['firstName', 'lastName', 'fullName', 'street', 'city', 'comment']);
    for (const [name, column] of COLUMN_ROWS) {
      if (column.freeText) expect(column, name).toMatchObject({ kind: 'text', required: false });
    }
  });

  it('demands what a payment cannot do without', () => {
    const required = COLUMN_ROWS.filter(([, column]) => column.required).map(([name]) => name);
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
    expect(new Set<string>(COLUMN_ROWS.map(([, column]) => column.kind))).toEqual(new Set(Object.keys(kinds)));
  });
});

describe('FIELDS', () => {
  it('holds every field of the specification and no other', () => {
    expect(Object.keys(FIELDS).toSorted()).toEqual(SPEC_FIELDS.toSorted());
  });

  it('lists the values of the closed sets in the words of the service', () => {
    expect(FIELDS.scheduleType.values).toEqual(SPEC_VALUES.scheduleType);
    expect(FIELDS.accountType.values).toEqual(SPEC_VALUES.accountType);
    const mops = new Set([...SPEC_VALUES.mopNorthAmerica, ...SPEC_VALUES.mopUnitedKingdom]);
    expect(new Set(FIELDS.mop.values)).toEqual(mops);
  });

  it('gives values to enums and to nothing else', () => {
    for (const [name, field] of Object.entries(FIELDS)) {
      expect('values' in field, name).toBe(field.kind === 'enum');
    }
  });

  it.each([
    ['boolean', 'recurring updateAccountNum updateCreditCardNum'],
    ['decimal', 'amount total'],
    ['dateTime', 'beginDate endDate fromDate toDate'],
    ['expiry', 'creditCardExpiry ccExp'],
    ['base64', 'batchFile'],
    ['ipv4', 'customerIPAddress'],
    ['digits', 'accountNum creditCardNum ccNum cvv2'],
  ])('the fields of kind %s are %s', (kind, names) => {
    const found = Object.entries(FIELDS).flatMap(([name, field]) => (field.kind === kind ? [name] : []));
    expect(found.toSorted()).toEqual(names.split(' ').toSorted());
  });

  it('marks as secret exactly what can be used to pay', () => {
    const secrets = Object.entries(FIELDS).flatMap(([name, field]) => ('secret' in field ? [name] : []));
    expect(secrets.toSorted()).toEqual(['accountNum', 'batchFile', 'ccNum', 'creditCardNum', 'cvv2']);
  });

  it('limits the length of every text and digit field', () => {
    for (const [name, field] of Object.entries(FIELDS)) {
      if (field.kind !== 'text' && field.kind !== 'digits') continue;
      expect(field.maxLength, name).toBeGreaterThan(0);
    }
  });

  it('lets the longest card and bank account numbers through', () => {
    expect(FIELDS.creditCardNum.maxLength).toBe(19);
    expect(FIELDS.ccNum.maxLength).toBe(FIELDS.creditCardNum.maxLength);
    expect(FIELDS.accountNum.maxLength).toBeGreaterThanOrEqual('02100002100000000000000001'.length);
    expect(FIELDS.customerIPAddress.maxLength).toBe('255.255.255.255'.length);
  });
});
