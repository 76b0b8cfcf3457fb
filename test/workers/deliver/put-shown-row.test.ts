import { describe, expect, it } from 'vitest';
import { newLineBuffer } from '../../../src/csv/read/line-buffer.ts';
import { type RawLines, readRawLines } from '../../../src/csv/read/read-raw-lines.ts';
import { CARD, cardRow } from '../../support/payment-rows.ts';
import { shownRowPutter } from '../../../workers/deliver/write-rows.ts';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function rowsOf(text: string): Promise<RawLines> {
  for await (const rows of readRawLines(bytesOf(text), { charset: 'utf-8', headerLine: null })) return rows;
  throw new Error('there are no rows');
}

/** Returns the rows of a text as shown, one by one. */
async function shownRows(text: string, options?: { clear: boolean }): Promise<string[]> {
  const rows = await rowsOf(text);
  const put = shownRowPutter('card', options);
  const into = newLineBuffer();
  return rows.lines.map((_, place) => {
    const from = into.length;
    put(into, rows, place, true);
    return into.bytes.toString('utf8', from, into.length);
  });
}

const MASKED = '************2220';

describe('shownRowPutter', () => {
  it.each([
    ['a plain row', cardRow(1), cardRow(1)],
    ['a quoted cell', cardRow(1).replace('Ada', '"Ada, Lady"'), cardRow(1).replace('Ada', '"Ada, Lady"')],
    ['quotes that are not needed', cardRow(1).replace('Ada', '"Ada"'), cardRow(1)],
    ['quotes in a cell', cardRow(1).replace('Ada', '"Ada ""A"""'), cardRow(1).replace('Ada', '"Ada ""A"""')],
    ['other letters', cardRow(1).replace('Ada', 'Zoë 😀'), cardRow(1).replace('Ada', 'Zoë 😀')],
    ['a formula', cardRow(1).replace('Ada', '=1+1'), cardRow(1).replace('Ada', "'=1+1")],
    ['a formula in quotes', cardRow(1).replace('Ada', '"=1,1"'), cardRow(1).replace('Ada', '"\'=1,1"')],
  ])('shows %s with a comma behind each cell', async (_what, row, shown) => {
    expect(await shownRows(`${row}\r\n`)).toEqual([`${shown.replace(CARD, MASKED)},`]);
    expect(await shownRows(`${row}\r\n`, { clear: true })).toEqual([`${shown},`]);
  });

  it('shows one row after the other, and nothing of a line that could not be read', async () => {
    const rows = [
      cardRow(1),
      cardRow(2).replace('Ada', 'A"da'),
      cardRow(3).replace('Ada', '"A"'),
      cardRow(4, { amount: 'x' }),
    ];
    expect((await shownRows(`${rows.join('\n')}\n`)).map((row) => row.split(',')[1])).toEqual([
      'C-1',
      undefined,
      'C-3',
      'C-4',
    ]);
  });
});
