import { describe, expect, it } from 'vitest';
import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';
import { columnsNearTitle, columnsOfTitle, namesSecurityCode } from '../../../src/csv/check/column-titles.ts';

describe('columnsOfTitle', () => {
  it.each(Object.keys(COLUMNS) as ColumnName[])('knows the title of %s in the words of the spec', (column) => {
    expect(columnsOfTitle(COLUMNS[column].title)).toContain(column);
  });

  it.each([
    ['INVOICE NO', 'invoice'],
    ['invoice_number', 'invoice'],
    ['Card Number', 'cardNumber'],
    ['Account # (no spaces or dashes)', 'accountNumber'],
    ['Amount (no currency sign)', 'amount'],
    [' zip  code ', 'zipCode'],
    ['Postal Code', 'zipCode'],
    ['Name', 'firstName'],
    ['Name', 'fullName'],
    ['Method of Payment', 'mop'],
    ['Montant', 'amount'],
    ['N° de carte', 'cardNumber'],
    ['Prénom', 'firstName'],
    ['Gültig bis', 'expiry'],
    ['Straße', 'street'],
    ['Código postal', 'zipCode'],
  ] as const)('takes %j for %s', (title, column) => {
    expect(columnsOfTitle(title)).toContain(column);
  });

  it.each(['', 'Solde', 'INV-1', 'Ada', '25.00', '#'])('takes %j for no title', (title) => {
    expect(columnsOfTitle(title)).toEqual([]);
  });

  it('gives a title more than one meaning only where people use it so', () => {
    const titles = ['Name', 'Amount', 'Customer', 'Card', 'Account', 'State', 'Address', 'Code'];
    expect(titles.filter((title) => columnsOfTitle(title).length > 1)).toEqual(['Name']);
  });
});

describe('namesSecurityCode', () => {
  it.each([
    'CVV',
    'cvv2',
    'CVC',
    'CVC2',
    'CID',
    'CSC',
    'Card CVV',
    'CVV Code',
    'Security Code',
    'card security code',
    'CVN',
    'Verification Code',
    'Kartenprüfnummer',
    'Código de seguridad',
  ])('knows %s', (title) => {
    expect(namesSecurityCode(title)).toBe(true);
  });

  it.each(['City', 'Code', 'Customer Code', 'Zip Code', 'Credit Card #', 'CV', '', '123', 'Social Security'])(
    'leaves %j alone',
    (title) => {
      expect(namesSecurityCode(title)).toBe(false);
    },
  );
});

describe('columnsNearTitle', () => {
  it.each([
    ['Amount due', 'amount'],
    ['OpenAmount', 'amount'],
    ['Ammount', 'amount'],
    ['Offener Betrag', 'amount'],
    ['Invoice Date', 'date'],
  ] as const)('takes %j for near %s', (title, column) => {
    expect(columnsNearTitle(title)).toContain(column);
  });

  it.each(['Balance', 'Tax', 'Status', ''])('takes %j for near none', (title) => {
    expect(columnsNearTitle(title)).toEqual([]);
  });
});
