import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';

/** Oversights that a check could have, as changes to its rules. The comparison must detect each. */
export const OVERSIGHTS: readonly [what: string, overlook: (rules: CheckRules) => CheckRules][] = [
  ['which cards have expired', (rules) => ({ ...rules, today: '2026-05-15' })],
  ['the largest amount of a row', ({ largestRowCents: _limit, ...rules }) => rules],
  ['routing numbers', (rules) => ({ ...rules, folder: { ...rules.folder, routingCheck: false } })],
  ['that no comma may be replaced', (rules) => ({ ...rules, folder: { ...rules.folder, textCommas: 'replace' } })],
  ['the currency of the account', (rules) => ({ ...rules, account: { server: 'NA', country: 'US', currency: 'USD' } })],
];
