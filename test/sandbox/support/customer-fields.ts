import type { Fields } from './soap-request.ts';

/** Everything a card record can hold, as clients send it. */
export const CARD_RECORD: Fields = {
  firstName: 'Ada',
  lastName: 'Byron',
  companyName: 'Engine Co.',
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  phone: '555-555-1234',
  fax: '555-555-4321',
  alternatePhone: '555-555-5555',
  email: 'ada@example.com',
  comment: 'note',
  recurring: 'true',
  amount: '5',
  beginDate: '2017-06-16T00:00:00+00:00',
  endDate: '2027-06-15',
  scheduleType: 'Weekly',
  scheduleDate: '7',
  creditCardCustomerName: 'Ada Byron',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/20',
  mop: 'VISA',
};

/** A bank record with the least that clients send. */
export const BANK_RECORD: Fields = {
  firstName: 'Ada',
  lastName: 'Byron',
  recurring: '0',
  beginDate: '2017-06-16',
  endDate: '2017-06-16',
  accountNum: '02100002100000000000000001',
  accountType: 'CHECKING',
};

/** XML of the two records. */
export const CARD_XML =
  '<CST><CSTC>A10000001</CSTC><FN>Ada</FN><LN>Byron</LN><CO>Engine Co.</CO><ADD>1 Some Road</ADD><CTY>Troy</CTY>' +
  '<ST>NY</ST><CNT /><ZC>12180</ZC><PH>555-555-1234</PH><MB>555-555-5555</MB><FX>555-555-4321</FX>' +
  '<EM>ada@example.com</EM><CM>note</CM><RCR><AMT>5</AMT><BD>2017-06-16T00:00:00</BD><ED>2027-06-15T00:00:00</ED>' +
  '<SCHTYP>Weekly</SCHTYP><SCHD>7</SCHD></RCR><AC1 type="CC"><CC><CSTN>Ada Byron</CSTN><MP>VISA</MP>' +
  '<CCN>4***********2220</CCN><EXP>12/20</EXP></CC></AC1><AC2 /></CST>';

export const BANK_XML =
  '<CST><CSTC>A10000002</CSTC><FN>Ada</FN><LN>Byron</LN><CO /><ADD /><CTY /><ST /><CNT /><ZC /><PH /><MB /><FX />' +
  '<EM /><CM /><RCR><AMT /><BD>2017-06-16T00:00:00</BD><ED>2017-06-16T00:00:00</ED><SCHTYP /><SCHD /></RCR>' +
  '<AC1 type="ACH"><ACH><CSTN /><ACN>0*********************0001</ACN><ACTYP>CHECKING</ACTYP></ACH></AC1><AC2 /></CST>';
