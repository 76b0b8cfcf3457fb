import { describe, expect, it } from 'vitest';
import { findOddAddress, isPlainState, isPlainZip } from '../../../src/csv/rules/us-address.ts';

const DAMAGED = { column: 'zipCode', code: 'SPREADSHEET_DAMAGE', detail: 'the zero in front is lost' };
const SHORT = { column: 'zipCode', code: 'ZIP_SHORT' };
const UNKNOWN = { column: 'state', code: 'STATE_UNKNOWN' };

describe('findOddAddress', () => {
  it.each([
    ['NY', '12180'],
    ['MA', '02139'],
    ['ma', '02139-1234'],
    ['M.A.', ''],
    ['New Hampshire', '03031'],
    ['Québec', 'G1A 0A2'],
    ['ON', 'K1A 0B1'],
    ['', '12180'],
    ['', ''],
    ['AE', '09012'],
  ])('says nothing of %j with %j', (state, zipCode) => {
    expect(findOddAddress(state, zipCode)).toEqual([]);
  });

  it.each([
    ['MA', '2139'],
    ['ma', '2139-1234'],
    ['New Jersey', '7030'],
    ['NJ', '70301234'],
    ['PR', '901'],
    ['PR', '9011234'],
    ['AE', '9012'],
  ])('knows by %j that %j lost its zero', (state, zipCode) => {
    expect(findOddAddress(state, zipCode)).toEqual([DAMAGED]);
  });

  it.each([
    ['NY', '1218', [SHORT]],
    ['', '8000', [SHORT]],
    ['Wien', '1010', [UNKNOWN, SHORT]],
    ['ZZ', '12180', [UNKNOWN]],
    ['Bavaria', 'D-80331', [UNKNOWN]],
  ])('notes of %j with %j what may be meant', (state, zipCode, noted) => {
    expect(findOddAddress(state, zipCode)).toEqual(noted);
  });
});

describe('a plain address', () => {
  it('is never odd, so nothing plain needs to be asked about', () => {
    const states = ['', 'NY', 'ny', 'ZZ', 'New York', 'MA'].filter(isPlainState);
    expect(states).toEqual(['', 'NY', 'MA']);
    const zips = ['', '12180', '1218', '12180-1234', '2139-1234', '21391234', 'K1A 0B1'].filter((zip) =>
      isPlainZip(zip.length),
    );
    expect(zips).toEqual(['', '12180', '12180-1234']);
    for (const state of states) for (const zip of zips) expect(findOddAddress(state, zip)).toEqual([]);
  });
});
