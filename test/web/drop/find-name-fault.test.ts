import { expect, it } from 'vitest';
import { CARD } from '../../support/payment-rows.ts';
import { findNameFault } from '../../../src/web/drop/drop-routes.ts';

const QUIET = { complete: { by: 'quiet', quietMs: 1, probes: 1 } } as const;
const MARKER = { complete: { by: 'marker', suffix: '.done' } } as const;

it.each([
  'june.csv',
  'June dues (2).CSV',
  'junë €.csv',
  'june-20260615123045.csv',
  'june.csv.pgp',
  'no ending',
  'june.ctl.csv',
  'a..b.csv',
  `${'x'.repeat(196)}.csv`,
])('findNameFault has nothing against %s', (name) => {
  expect(findNameFault(name, QUIET)).toBeUndefined();
  expect(findNameFault(name, MARKER)).toBeUndefined();
});

it.each([
  ['', 'no name'],
  ['..', 'path'],
  ['/etc/passwd', 'path'],
  ['../june.csv', 'path'],
  ['drop/june.csv', 'path'],
  ['C:\\june.csv', 'path'],
  ['june\0.csv', 'cannot be seen'],
  ['june\n.csv', 'cannot be seen'],
  ['june\u202evsc.exe', 'cannot be seen'],
  ['june\ud800.csv', 'cannot be seen'],
  ['.', 'begins with a point'],
  ['.june.csv', 'begins with a point'],
  ['~$june.csv', 'still writing'],
  ['june.csv~', 'still writing'],
  ['june.csv.part', 'still writing'],
  ['june.TMP', 'still writing'],
  ['june.csv.ctl', 'control files'],
  ['june.csv.done', 'markers'],
  [`${'é'.repeat(100)}.`, 'longer than 200 bytes'],
  [`${CARD}.csv`, 'card number'],
  ['4222-2222-2222-2220 june.csv', 'card number'],
])('findNameFault says of %j: %s', (name, words) => {
  expect(findNameFault(name, MARKER)).toContain(words);
});
