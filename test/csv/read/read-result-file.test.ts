import { describe, expect, it } from 'vitest';
import { readResultFile } from '../../../src/csv/read/read-result-file.ts';

const read = (text: string, options = {}) => readResultFile(Buffer.from(text), options);
const ROW = '1001,Ada,Byron,CHECKING,0*********************0001,5.00,Gift';
const CELLS = ROW.split(',');

describe('readResultFile', () => {
  it.each([
    ['CRLF and a final one', `${ROW},Received\r\n${ROW},Received\r\n`],
    ['LF', `${ROW},Received\n${ROW},Received\n`],
    ['blank lines', `\r\n${ROW},Received\r\n\r\n  \r\n${ROW},Received\r\n\r\n`],
    ['a byte order mark', `\ufeff${ROW},Received\r\n${ROW},Received\r\n`],
    ['quotes around cells', `"${CELLS.join('","')}","Received"\r\n${ROW},"Received"\r\n`],
    ['spaces around cells', `${CELLS.join(' , ')} , Received \r\n${ROW}, Received\r\n`],
  ])('reads %s', (_, text) => {
    expect(read(text)).toEqual([
      { position: 1, cells: CELLS, message: 'Received' },
      { position: 2, cells: CELLS, message: 'Received' },
    ]);
  });

  it.each([
    ['a,b,Wrong Format', ['a', 'b'], 'Wrong Format'],
    ['dGVzdA==,Wrong Format', ['dGVzdA=='], 'Wrong Format'],
    ['Wrong Format', [], 'Wrong Format'],
    ['a,b,', ['a', 'b'], ''],
    ['a,"b, c",OK', ['a', 'b, c'], 'OK'],
    ['a,5" pipe,OK', ['a', '5" pipe'], 'OK'],
    ['a,"b,OK', ['a', '"b'], 'OK'],
  ])('reads the row %s as it is', (text, cells, message) => {
    expect(read(`${text}\r\n${ROW},Received\r\n`)).toEqual([
      { position: 1, cells, message },
      { position: 2, cells: CELLS, message: 'Received' },
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('says of the last row that its line has no end, after %j', (end) => {
    expect(read(`${ROW},Received${end}${ROW},REJECT: 1`)).toEqual([
      { position: 1, cells: CELLS, message: 'Received' },
      { position: 2, cells: CELLS, message: 'REJECT: 1', endsOpen: true },
    ]);
    expect(read(`${ROW},REJECT: 1${end}`)[0]).not.toHaveProperty('endsOpen');
  });

  it('takes commas for part of the message when the number of columns is known', () => {
    const text = `${ROW},REJECT: 15, call the bank\r\na,b,Wrong Format\r\n`;
    expect(read(text, { columnCount: 7 })).toEqual([
      { position: 1, cells: CELLS, message: 'REJECT: 15,call the bank' },
      { position: 2, cells: ['a', 'b'], message: 'Wrong Format' },
    ]);
  });

  it('stops at the row cap', () => {
    const text = `${ROW},Received\r\n`.repeat(50);
    expect(read(text, { maxRows: 12 })).toHaveLength(12);
    expect(read(text)).toHaveLength(50);
  });

  it('reads bytes that are not UTF-8 all the same', () => {
    const rows = readResultFile(Buffer.from('1001,é,5.00,OK\r\n', 'latin1'));
    expect(rows).toEqual([{ position: 1, cells: ['1001', 'é', '5.00'], message: 'OK' }]);
  });

  it('has no rows when there is nothing', () => {
    expect(read('')).toEqual([]);
    expect(read('\r\n')).toEqual([]);
  });
});
