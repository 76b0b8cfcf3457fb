import type { ProfilePlace } from '../../../src/csv/profile/check-profile.ts';
import { type KnownRow, text } from './columns.ts';

export const US = { server: 'NA', country: 'US', currency: 'USD' } as const;
export const CA = { server: 'NA', country: 'CA', currency: 'CAD' } as const;
export const UK = { server: 'UK', country: 'UK', currency: 'GBP' } as const;

export const CARD_US: ProfilePlace = { operation: 'card', account: US };
export const CARD_CA: ProfilePlace = { operation: 'card', account: CA };
export const CARD_UK: ProfilePlace = { operation: 'card', account: UK };
export const BANK_US: ProfilePlace = { operation: 'ach-charge', account: US };
export const BANK_CA: ProfilePlace = { operation: 'ach-charge', account: CA };
export const REFUND_US: ProfilePlace = { operation: 'ach-refund', account: US };

export const IN_US = ['VISA', 'MC', 'AMX', 'DSC'];
export const IN_CA = ['VISA', 'MC', 'AMX'];
export const IN_UK = ['VISA', 'MC', 'AMX', 'MAESTR'];

export const UTF8_COMMA = { charset: 'utf-8', separator: 'comma' } as const;
export const OLD_SEMICOLON = { charset: 'windows-1252', separator: 'semicolon' } as const;

export const ONCE = { label: 'TOTAL', must: 'once' } as const;

/** Some money of a row besides what is due, in cents. */
export const paid = ({ payment }: KnownRow) => (Number(payment.zipCode) % 3) * 1_250;
export const sumOfBoth = (row: KnownRow) => row.payment.cents + paid(row);
export const balance = ({ payment }: KnownRow) => payment.cents + 10_000 + Number(payment.zipCode);

export const address = (prefix = '') => [
  text(`${prefix}Street`, 'street'),
  text(`${prefix}City`, 'city'),
  text(`${prefix}State`, 'state'),
  text(`${prefix}ZIP`, 'zipCode'),
];
export const names = [text('First Name', 'firstName'), text('Last Name', 'lastName')];
