import type { Country } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation, type Server } from '../../../schemas/operations.ts';
import { findRestriction } from '../../../schemas/restrictions.ts';

/** What `paydrop init` must know of the first account. */
export type Setup = {
  readonly account: string;
  readonly country: Country;
  readonly operations: readonly FolderOperation[];
};

/** What follows from the country of an account, unless the user changes it; and a sample of card payments. */
const COUNTRY_SETTINGS: Readonly<
  Record<Country, { server: Server; currency: string; timeZone: string; cardSample: string }>
> = {
  US: { server: 'NA', currency: 'USD', timeZone: 'America/New_York', cardSample: 'card/card.csv' },
  CA: { server: 'NA', currency: 'CAD', timeZone: 'America/Toronto', cardSample: 'card-canada/card-ca.csv' },
  UK: { server: 'UK', currency: 'GBP', timeZone: 'Europe/London', cardSample: 'card/card.csv' },
};

/** Returns what the service offers in a country. */
export function operationsIn(country: Country): readonly FolderOperation[] {
  const { server } = COUNTRY_SETTINGS[country];
  const all = Object.keys(FOLDER_OPERATIONS) as FolderOperation[];
  return all.filter((name) => findRestriction({ operation: FOLDER_OPERATIONS[name].operation, server }) === undefined);
}

export const USUAL_SETUP: Setup = { account: 'main', country: 'US', operations: operationsIn('US') };

/** Returns the sample for the first folder, by its path in samples/. */
export function sampleFor({ country, operations: [first = 'card'] }: Setup): string {
  return first === 'card' ? COUNTRY_SETTINGS[country].cardSample : `${first}/ach.csv`;
}

/**
 * Returns what `paydrop init` writes. It works with the sandbox unchanged; docs/reference/configuration.md has every
 * setting.
 */
export function starterConfig({ account, country, operations }: Setup): string {
  const { server, currency, timeZone } = COUNTRY_SETTINGS[country];
  const folders = operations.map(
    (operation) => `  - path: drop/${operation}\n    account: ${account}\n    operation: ${operation}\n`,
  );
  return `# paydrop: see docs/reference/configuration.md for every setting and its default.

accounts:
  ${account}:
    server: ${server}                        # NA or UK
    country: ${country}                       # US, CA or UK: decides the card layout
    currency: ${currency}
    timeZone: ${`${timeZone} `.padEnd(24)}# in which people of this account read times
    # The account of the sandbox. For the real service: remove baseUrl and poll, and write the secrets as
    # env:NAME or file:PATH, so that they do not stand here.
    agentCode: TEST88
    password: TEST88
    baseUrl: http://127.0.0.1:8899
    poll: { firstMs: 1000 }           # the sandbox is quick

folders:
${folders.join('')}`;
}
