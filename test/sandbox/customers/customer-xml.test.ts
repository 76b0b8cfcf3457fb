import { describe, expect, it } from 'vitest';
import { customerXml } from '../../../src/sandbox/customers/customer-xml.ts';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';

describe('customerXml', () => {
  it('nests a card as clients read it, and shows no more of a number than its mask', () => {
    const known = { code: 'TM&1', createdAt: '', holder: 'Ada', number: '4222222222222220' } as const;
    const card = newCustomer({ ...known, kind: 'card', method: 'VISA', expiry: '12/20', textOf: () => undefined });
    const day = '0001-01-01T00:00:00';
    expect(customerXml(card)).toBe(
      '<CST><CSTC>TM&amp;1</CSTC><FN /><LN /><CO /><ADD /><CTY /><ST /><CNT /><ZC /><PH /><MB /><FX /><EM /><CM />' +
        `<RCR><AMT /><BD>${day}</BD><ED>${day}</ED><SCHTYP /><SCHD /></RCR><AC1 type="CC"><CC><CSTN>Ada</CSTN>` +
        '<MP>VISA</MP><CCN>4***********2220</CCN><EXP>12/20</EXP></CC></AC1><AC2 /></CST>',
    );
    const bank = customerXml({ ...card, kind: 'bank', method: 'SAVING' });
    expect(bank).toContain(
      '<AC1 type="ACH"><ACH><CSTN>Ada</CSTN><ACN>4***********2220</ACN><ACTYP>SAVING</ACTYP></ACH></AC1>',
    );
  });

  it.each([
    ['Ada', 'Byron', '<FLN>Ada Byron</FLN><FN>Ada</FN><LN>Byron</LN>'],
    ['', 'Byron', '<FLN>Byron</FLN><FN /><LN>Byron</LN>'],
    ['', '', '<FLN /><FN /><LN />'],
  ])('shows the full name of "%s" "%s" when it is wanted, and only then', (firstName, lastName, xml) => {
    const known = { code: 'C', kind: 'bank', createdAt: '', holder: '', number: '', method: '', expiry: '' } as const;
    const names: Record<string, string> = { firstName, lastName };
    const customer = newCustomer({ ...known, textOf: (field) => names[field] });
    expect(customerXml(customer, true)).toContain(`<CSTC>C</CSTC>${xml}<CO />`);
    expect(customerXml(customer)).not.toContain('FLN');
  });
});
