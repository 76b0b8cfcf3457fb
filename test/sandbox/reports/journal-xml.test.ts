import { describe, expect, it } from 'vitest';
import { faceOf } from '../../../src/sandbox/reports/face.ts';
import { journalXml } from '../../../src/sandbox/reports/journal-xml.ts';
import { readXml } from '../../../src/sandbox/xml/read-xml.ts';
import { bankEntry, journalEntry } from '../support/journal-entry.ts';

const NA = faceOf({ server: 'NA' });

describe('journalXml', () => {
  it('writes card payments', () => {
    expect(journalXml([journalEntry()], NA)).toBe(
      '<JOURNALREPORT><TN><TNTYP>CreditCard</TNTYP><TNID>A9000001</TNID><AGT>TEST88</AGT>' +
        '<CST><CSTC>Quick Client</CSTC><FN>Ada</FN><LN>Byron</LN></CST>' +
        '<CC><CSTN>Ada Byron</CSTN><MP>VISA</MP><CCN>4***********2220</CCN><EXP>12/20</EXP></CC>' +
        '<INV>INV-1</INV><DTM>2017-06-15T10:11:12</DTM><IT1 /><IT2 /><IT3 /><IT4 /><IT5 /><IT6 />' +
        '<AMT>5.00</AMT><RST>OK:678594:</RST><CM>Gift</CM></TN></JOURNALREPORT>',
    );
  });

  it('writes bank payments with their account', () => {
    const xml = journalXml([bankEntry({ customerCode: 'A10000001', transactionId: '' })], NA);
    expect(xml).toContain('<TNTYP>ACHEFT</TNTYP><TNID /><AGT>TEST88</AGT><CST><CSTC>A10000001</CSTC>');
    expect(xml).toContain(
      '<ACH><CSTN>Ada Byron</CSTN><ACN>0*********************0001</ACN><ACTYP>CHECKING</ACTYP></ACH>',
    );
  });

  it('is one empty element without payments', () => {
    expect(journalXml([], NA)).toBe('<JOURNALREPORT />');
  });

  it('can be read whatever payers wrote', () => {
    const xml = journalXml([journalEntry({ firstName: '<A&\u0000\u0001\ud800', comment: ']]>\r' })], NA);
    expect(readXml(xml)).toMatchObject({ name: 'JOURNALREPORT' });
    expect(xml).toContain('<FN>&lt;A&amp;   </FN>');
  });
});
