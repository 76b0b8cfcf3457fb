import { expect, it } from 'vitest';
import { type Fingerprints, knownPayments } from '../../../workers/intake/known-payments.ts';

const KIND = 2 ** 30;
const prints = (...pairs: [number, number][]): Fingerprints => ({
  firsts: pairs.map(([first]) => first),
  seconds: pairs.map(([, second]) => second),
});

it.each<[string, [number, number], boolean]>([
  ['the same payment', [7, 5], true],
  ['another payer of the same kind', [7, 6], false],
  ['another kind of payer', [7, 3 * KIND + 5], true],
  ['another invoice or amount', [8, 5], false],
  ['a payer of the kind of the other row', [9, KIND + 6], false],
])('knownPayments knows of %s: %s', (_what, pair, isKnown) => {
  const known = knownPayments();
  expect(known.hasAny(prints(pair))).toBe(false);
  known.add(prints([7, 5], [9, KIND + 5]));
  expect(known.hasAny(prints([100, 0], pair))).toBe(isKnown);
});
