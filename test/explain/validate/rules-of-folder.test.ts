import { expect, it } from 'vitest';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import { rulesOfFolder } from '../../../src/explain/validate/rules-of-folder.ts';

const account = AccountConfig.parse({
  server: 'NA',
  country: 'US',
  currency: 'USD',
  agentCode: 'A',
  password: 'P',
  timeZone: 'Pacific/Auckland',
  limits: { rowAmount: 100, fileRows: 7 },
  secondPerson: { refunds: true },
});

it.each([
  ['card', {}, { largestRowCents: 10_000, approvalDue: false, maxBytes: 1_073_741_824 }],
  ['ach-charge', { limits: { rowAmount: 5 }, maxBytes: 9 }, { largestRowCents: 500, approvalDue: false, maxBytes: 9 }],
  ['ach-refund', { limits: { fileTotal: 3 } }, { approvalDue: true, limits: { fileRows: 7, fileCents: 300 } }],
] as const)(
  'rulesOfFolder has for %s the tighter limits, and says what waits for approval',
  (operation, more, rules) => {
    const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation, ...more });
    const found = rulesOfFolder(account, { ...folder, routingCheck: false }, new Date('2026-06-15T20:00:00Z'));
    // The account's own day decides which cards have expired.
    expect(found).toMatchObject({ operation, folder, today: '2026-06-16', ...rules });
  },
);
