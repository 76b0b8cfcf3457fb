import { describe, expect, it } from 'vitest';
import { COLUMNS } from '../../schemas/columns.ts';
import { columnsOf, COUNTRIES, LAYOUTS, layoutOf, type Country, type LayoutName } from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import { SPEC_LAYOUTS } from './spec-tables.ts';

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

  it.each(NAMES)('%s holds each column once, an amount and an invoice', (name) => {
    const columns = columnsOf(name);
    expect(new Set(columns).size).toBe(columns.length);
    expect(columns).toContain('amount');
    expect(columns).toContain('invoice');
  });

  it.each(NAMES)('%s says who pays in exactly one way', (name) => {
    const payers = columnsOf(name).filter((column) => /^(?:cardNumber|accountNumber|customerCode)$/.test(column));
    expect(payers).toHaveLength(1);
  });
});

describe('layoutOf', () => {
  const known = [
    ['ach-charge', 7, 'ach'],
    ['ach-refund', 7, 'ach'],
    ['ach-charge', 4, 'ach-code'],
    ['ach-refund', 4, 'ach-code'],
    ['card', 12, 'card'],
    ['card', 7, 'card-ca'],
    ['card', 4, 'card-code'],
  ] as const;

  it.each(known)('%s with %i columns is %s', (operation, count, layout) => {
    expect(layoutOf(operation, count)).toBe(layout);
  });

  it('knows no layout for any other number of columns', () => {
    for (const operation of OPERATIONS) {
      for (const count of COUNTS) {
        if (known.some(([name, columns]) => name === operation && columns === count)) continue;
        expect(layoutOf(operation, count), `${operation} with ${count} columns`).toBeUndefined();
      }
    }
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
