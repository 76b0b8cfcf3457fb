import { expect, it } from 'vitest';
import { addressOf } from '../../../src/web/parts/address.ts';

it.each([
  [{}, '/files'],
  [{ state: '', account: undefined }, '/files'],
  [{ state: 'held', before: 7 }, '/files?state=held&before=7'],
  [{ name: 'a&b=c d' }, '/files?name=a%26b%3Dc+d'],
])('addressOf leaves out what is empty and writes the rest so that it reads the same: %j', (query, address) => {
  expect(addressOf('/files', query)).toBe(address);
  const filled = Object.entries(query).filter(([, value]) => value);
  const read = [...new URL(address, 'http://dashboard').searchParams];
  expect(read).toEqual(filled.map(([name, value]) => [name, String(value)]));
});
