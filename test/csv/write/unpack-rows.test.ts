import { expect, it } from 'vitest';
import { newRowPack, packRow, unpackRows } from '../../../src/csv/write/packed-rows.ts';
import type { PaymentRow } from '../../../src/rows/rows.ts';
import { ACCOUNT, achLine, cardLine, VISA } from '../support.ts';

const NONE = { invoice: 'INV-1', customerCode: '', number: '' };

it.each<[Parameters<typeof unpackRows>[0]['layout'], PaymentRow]>([
  ['card', { ...NONE, line: 2, amountCents: 2_500, number: VISA, canonical: cardLine({ city: 'Zürich' }).split(',') }],
  ['ach', { ...NONE, line: 3, amountCents: -500, number: ACCOUNT, canonical: achLine({ amount: '-5.00' }).split(',') }],
  ['card-code', { ...NONE, line: 9, amountCents: 5, customerCode: 'C', canonical: ['INV-1', 'C', '0.05', ''] }],
])('unpackRows gives back the rows of %s that were packed', (layout, payment) => {
  const pack = newRowPack();
  packRow(pack, payment);
  packRow(pack, { ...payment, line: 77 });
  expect(unpackRows({ layout, packed: pack })).toEqual([payment, { ...payment, line: 77 }]);
});

it('unpackRows finds no rows where no layout is known', () => {
  expect(unpackRows({ layout: undefined, packed: newRowPack() })).toEqual([]);
});
