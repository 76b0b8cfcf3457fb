import type { Profile } from '../../../../schemas/profiles.ts';
import { parseProfile } from '../../../../src/csv/profile/profile-text.ts';
import { toWindows1252 } from '../../../../src/rows/windows-1252.ts';
import { EXAMPLE_PROFILES } from './example-profiles.ts';

export type ExampleName = keyof typeof EXAMPLE_PROFILES;

/** Each line of the sender, and the line of the layout that it becomes; blank for a line that is no payment. */
type ExampleLines = readonly (readonly [sender: string, made: string])[];

/** A whole file for each example profile. */
export const EXAMPLE_FILES: { readonly [Name in ExampleName]: ExampleLines } = {
  'quickbooks-dues': [
    ['Acme Swim Club Inc,,', ''],
    ['Dues due by customer', ''],
    ['"June 1-15, 2026"', ''],
    ['', ''],
    [
      'Date,Transaction Type,Num,Customer,Billing Street,Billing City,Billing State,Billing ZIP,Card Type,' +
        'Card Number,Card Exp,Memo/Description,Open Balance,Amount',
      '',
    ],
    [
      '06/15/2026,Invoice,1001,"Byron, Ada",1 Mill Lane,Troy,NY,12180,Visa,4222 2222 2222 2220,12/2035,June dues,' +
        '"1,200.00","1,200.00"',
      '06/15/2026,1001,Ada,Byron,1 Mill Lane,Troy,NY,12180,1200.00,VISA,4222222222222220,12/35',
    ],
    [
      '06/15/2026,Invoice,1002,Pool Service,"2 Mill Lane, left",Troy,NY,12180,mastercard ,5555555555554444,01/2030,,' +
        '80.00,80.00',
      '06/15/2026,1002,,Pool Service,"2 Mill Lane, left",Troy,NY,12180,80.00,MC,5555555555554444,01/30',
    ],
    ['06/15/2026,Payment,77,"Byron, Ada",,,,,,,,,-60.00,-60.00', ''],
    ['TOTAL,,,,,,,,,,,,"1,280.00","1,280.00"', ''],
    [',,,,,,,,,,,,,', ''],
    ['"Monday, Jun 15, 2026 10:00:00 AM GMT-7"', ''],
  ],
  'xero-invoices': [
    [
      'ContactName,AccountNumber,EmailAddress,InvoiceNumber,Reference,InvoiceDate,DueDate,Total,TaxTotal,' +
        'InvoiceAmountPaid,InvoiceAmountDue,Currency,Type,Status',
      '',
    ],
    [
      'Byron Ltd,B0017,a@b.example,INV-0042,June,15/06/2026,30/06/2026,120.00,20.00,0.00,120.00,GBP,Sales invoice,' +
        'Awaiting Payment',
      'INV-0042,B0017,120.00,June',
    ],
    [
      'Lovelace Ltd,B0018,,INV-0043,,15/06/2026,30/06/2026,90.00,15.00,30.00,60.00,GBP,Sales invoice,awaiting payment',
      'INV-0043,B0018,60.00,',
    ],
    ['Byron Ltd,B0017,,INV-0041,,15/05/2026,30/05/2026,10.00,2.00,10.00,0.00,GBP,Sales invoice,Paid', ''],
    ['Byron Ltd,B0017,,CN-1,,15/05/2026,30/05/2026,10.00,2.00,0.00,10.00,GBP,Sales credit note,Awaiting Payment', ''],
  ],
  'sage-eft': [
    ['Customer No,Name,Document No,Doc Date,Debit,Credit,Acct Kind,Institution,Transit,Bank Account,Details', ''],
    [
      'BYR01,Ada Byron,5001,2026-06-15,"1,020.00",,Chequing,004,10202,1234567,Dues',
      '5001,,Ada Byron,CHECKING,0004102021234567,1020.00,Dues',
    ],
    ['Total for BYR01,,,,"1,020.00",,,,,,', ''],
    [
      'HOP02,Grâce Hopper,5002,2026-06-15,30.00,0.00,Savings,010,00012,98765,',
      '5002,,Grâce Hopper,SAVING,00100001298765,30.00,',
    ],
    ['Total for HOP02,,,,30.00,,,,,,', ''],
    ['Grand total,,,,"1,050.00",,,,,,', ''],
  ],
  'blackbaud-gifts': [
    [
      'Gift ID\tConstituent ID\tFirst Name\tLast Name\tAddress\tCity\tState\tZIP\tGift Date\tGift Amount\tPay Method\t' +
        'Credit Type\tCredit Card Number\tExpires On\tFund',
      '',
    ],
    [
      'G-77\tC-9\tAda\tByron\t1 Mill Lane\tTroy\tNY\t12180\t6/5/2026\t$25.00\tCredit Card\tAmex\t3782-822463-10005\t' +
        '12/2035\tAnnual',
      '06/05/2026,G-77,Ada,Byron,1 Mill Lane,Troy,NY,12180,25.00,AMX,378282246310005,12/35',
    ],
    ['G-78\tC-10\tBo\tWu\t\t\t\t\t6/5/2026\t$10.00\tCash\t\t\t\tAnnual', ''],
    [
      `G-79\tC-11\t\t"O'Brien, ""Pat"""\t\t\t\t\t6/12/2026\t1,000.00 $\tcredit card\tVisa\t4111 1111 1111 1111\t` +
        '01/2030\tFund',
      `06/12/2026,G-79,,"O'Brien, ""Pat""",,,,,1000.00,VISA,4111111111111111,01/30`,
    ],
  ],
  'excel-de': [
    ['sep=;', ''],
    ['Datum;Rechnungsnr.;Vorname;Nachname;Straße;Ort;PLZ;Betrag;Kartenart;Kartennummer;Gültig bis', ''],
    [
      '15.06.2026;R-7;Ada;Byron;Mühlweg 1;Köln;50667;"1.234,56 €";Visa;="4222222222222220";12/35',
      '06/15/2026,R-7,Ada,Byron,Mühlweg 1,Köln,,50667,1234.56,VISA,4222222222222220,12/35',
    ],
    [
      '15.06.2026;R-8;;Bäcker GmbH;;;;234,56;Mastercard;5555 5555 5555 4444;01/30',
      '06/15/2026,R-8,,Bäcker GmbH,,,,,234.56,MC,5555555555554444,01/30',
    ],
    ['Summe;;;;;;;1.469,12;;;', ''],
  ],
  'bank-ach': [
    [
      'D,27,021000021,40000000,0000002000,Ada Byron,D00000042,X',
      'D00000042,,Ada Byron,CHECKING,02100002140000000,20.00,Monthly dues',
    ],
    [
      'D,37,021000021,4000000012,0000012345,Bo Wu,D00000043,X',
      'D00000043,,Bo Wu,SAVING,0210000214000000012,123.45,Monthly dues',
    ],
    ['T,2,0000014345', ''],
  ],
};

export const EXAMPLE_NAMES = Object.keys(EXAMPLE_FILES) as ExampleName[];

/** Returns an example profile, with some texts of it replaced. */
export function exampleProfile(
  name: ExampleName,
  ...changes: readonly (readonly [from: string, to: string])[]
): Profile {
  let text: string = EXAMPLE_PROFILES[name];
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${name} does not have: ${from}`);
    text = text.replace(from, to);
  }
  const parsed = parseProfile(text);
  if ('profile' in parsed) return parsed.profile;
  throw new Error(parsed.faults.map(({ message }) => message).join('\n'));
}

/** Returns lines in the character set of a profile. */
export function encodeLines(lines: readonly string[], { read }: Profile, end = '\n'): Buffer {
  const text = lines.map((line) => line + end).join('');
  const charset = read.kind === 'text' ? read.charset : 'utf-8';
  if (charset === 'utf-8') return Buffer.from(text);
  if (charset === 'utf-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  const bytes = toWindows1252(text);
  if (!bytes) throw new Error('the text has a character outside the character set');
  return bytes;
}
