import { describe, expect, it } from 'vitest';
import { isMessageName, stemOf } from '../../src/files/message-name.ts';

describe('isMessageName and stemOf', () => {
  it.each([
    ['monday.csv.pgp', true, 'monday'],
    ['monday.csv.GPG', true, 'monday'],
    ['monday.CSV.asc', true, 'monday'],
    ['monday.pgp', true, 'monday'],
    ['monday.csv', false, 'monday'],
    ['monday.pgp.csv', false, 'monday.pgp'],
    ['monday.pgp.txt', false, 'monday.pgp.txt'],
    ['pgp', false, 'pgp'],
    ['', false, ''],
  ])('of %j: %s, %j', (name, isMessage, stem) => {
    expect(isMessageName(name)).toBe(isMessage);
    expect(stemOf(name)).toBe(stem);
  });
});
