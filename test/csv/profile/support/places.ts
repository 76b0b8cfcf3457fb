import type { ProfilePlace } from '../../../../src/csv/profile/check-profile.ts';
import type { EXAMPLE_PROFILES } from './example-profiles.ts';

const MAIN = { server: 'NA', country: 'US', currency: 'USD' } as const;

/** Folder and account of each example. */
export const PLACES: { readonly [Name in keyof typeof EXAMPLE_PROFILES]: ProfilePlace } = {
  'quickbooks-dues': { operation: 'card', account: MAIN },
  'xero-invoices': { operation: 'card', account: { server: 'UK', country: 'UK', currency: 'GBP' } },
  'sage-eft': { operation: 'ach-charge', account: { server: 'NA', country: 'CA', currency: 'CAD' } },
  'blackbaud-gifts': { operation: 'card', account: MAIN },
  'excel-de': { operation: 'card', account: { server: 'UK', country: 'UK', currency: 'GBP' } },
  'bank-ach': { operation: 'ach-charge', account: MAIN },
};
