import { describe, expect, it } from 'vitest';
import { guardCsv } from '../../../src/csv/write/write-csv.ts';
import { CARD } from '../../support/payment-rows.ts';

describe('guardCsv', () => {
  it.each([
    ['plain cells', 'Code,Name\r\nA1,Ada\r\n', 'Code,Name\r\nA1,Ada\r\n'],
    ['a formula', 'Code,Name\nA1,=1+1\nA2,@x\n', "Code,Name\r\nA1,'=1+1\r\nA2,'@x\r\n"],
    ['a quoted formula', 'Code,Name\r\nA1,"=HYPERLINK(""x"",1)"\r\n', `Code,Name\r\nA1,"'=HYPERLINK(""x"",1)"\r\n`],
    [
      'an amount and what looks like one',
      'Amount,Name\n-5.00,-5.00\n=5,x\n',
      "Amount,Name\r\n-5.00,'-5.00\r\n'=5,x\r\n",
    ],
    ['a line break in a cell', 'Name\r\n"a\r\nb"\r\n', 'Name\r\n"a\r\nb"\r\n'],
    ['rows of other lengths, blank lines and a mark', '\ufeffA,B\n\n1\n1,2,+3\n', "A,B\r\n1\r\n1,2,'+3\r\n"],
    ['a stray quote', 'Name\nO"Byron\n', 'Name\r\n"O""Byron"\r\n'],
    ['nothing', '', ''],
  ])('writes %s', (_what, text, guarded) => {
    expect(guardCsv(text)).toBe(guarded);
  });

  it('does not repeat what it cannot read', () => {
    const read = () => guardCsv(`Name\n"${CARD}`);
    expect(read).toThrow('Cannot read a CSV of the service: it is not CSV.');
    expect(read).not.toThrow(CARD);
  });
});
