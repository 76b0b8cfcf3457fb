import type { CustomerRecord } from '../../../src/gateway/client-answers.ts';

/** A record as the service shows it. */
export const RECORD_XML =
  '<CST><CSTC>A10000001</CSTC><FN>Ada</FN><LN>Byron</LN><CO>Engine Co.</CO><ADD>1 Some Road</ADD><CTY>Troy</CTY>' +
  '<ST>NY</ST><CNT /><ZC>12180</ZC><PH>555-555-1234</PH><MB>555-555-5555</MB><FX>555-555-4321</FX>' +
  '<EM>ada@example.com</EM><CM>note</CM><RCR><AMT>5</AMT><BD>2017-06-16T00:00:00</BD><ED>2027-06-15T00:00:00</ED>' +
  '<SCHTYP>Weekly</SCHTYP><SCHD>7</SCHD></RCR><AC1 type="CC"><CC><CSTN>Ada Byron</CSTN><MP>VISA</MP>' +
  '<CCN>4***********2220</CCN><EXP>12/20</EXP></CC></AC1><AC2 /></CST>';

export const RECORD: CustomerRecord = {
  customerCode: 'A10000001',
  firstName: 'Ada',
  lastName: 'Byron',
  companyName: 'Engine Co.',
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  country: '',
  zipCode: '12180',
  phone: '555-555-1234',
  alternatePhone: '555-555-5555',
  fax: '555-555-4321',
  email: 'ada@example.com',
  comment: 'note',
  recurring: {
    amount: '5',
    beginDate: '2017-06-16T00:00:00',
    endDate: '2027-06-15T00:00:00',
    scheduleType: 'Weekly',
    scheduleDate: '7',
  },
  payment: {
    kind: 'card',
    creditCardCustomerName: 'Ada Byron',
    mop: 'VISA',
    creditCardNum: '4***********2220',
    creditCardExpiry: '12/20',
  },
};
