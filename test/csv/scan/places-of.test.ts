import { expect, it } from 'vitest';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { placesOf } from '../../../src/csv/scan/row-scan.ts';

it.each<[LayoutName, ReturnType<typeof placesOf>]>([
  [
    'card',
    { invoice: 1, customerCode: -1, amount: 8, mop: 9, state: 6, zipCode: 7, number: 10, texts: [1, 2, 3, 4, 5, 6, 7] },
  ],
  ['card-ca', { invoice: 1, customerCode: -1, amount: 3, mop: 4, state: -1, zipCode: -1, number: 5, texts: [1, 2] }],
  ['ach', { invoice: 0, customerCode: -1, amount: 5, mop: -1, state: -1, zipCode: -1, number: 4, texts: [0, 1, 2, 6] }],
  [
    'ach-code',
    { invoice: 0, customerCode: 1, amount: 2, mop: -1, state: -1, zipCode: -1, number: -1, texts: [0, 1, 3] },
  ],
])('placesOf finds the columns of %s', (layout, places) => {
  expect(placesOf(columnsOf(layout))).toEqual(places);
});
