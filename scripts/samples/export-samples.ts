import { EXPORT_LINES } from './export-lines.ts';

/** An export of an accounting system. `name` is its file, its folder in samples/exports/paydrop.yaml and its profile. */
export type ExportSample = {
  readonly name: keyof typeof EXPORT_LINES;
  /** The system that it is like. */
  readonly like: string;
  readonly shows: string;
  readonly encoding: 'utf8' | 'latin1';
  readonly lineEnd: '\n' | '\r\n' | '\r';
  /** What a person reads in the accounting system: the number of payments and their total. */
  readonly rows: number;
  readonly total: string;
  /** What `profile suggest` cannot know, by the id of the question. Every other suggestion is right. */
  readonly answers: Readonly<Record<string, string>>;
  /** Rows and sum of each kind of row that the profile leaves out, as `profile preview` says it. */
  readonly leftOut: readonly string[];
  /** What the sandbox makes of the payments. */
  readonly outcomes: string;
};

export const EXPORT_SAMPLES: readonly ExportSample[] = [
  {
    name: 'excel-us',
    like: 'Excel, United States',
    shows: 'dollar signs with blanks around them, dates without zeros',
    encoding: 'utf8',
    lineEnd: '\r\n',
    rows: 8,
    total: '1675.50',
    answers: {
      'column:date': 'Billed on',
      'column:invoice': 'Invoice no.',
      'column:amount': 'Amount due',
      'tells:Season': 'guard',
    },
    leftOut: [],
    outcomes: '8 approved',
  },
  {
    name: 'excel-europe',
    like: 'Excel, Germany',
    shows: 'semicolons, decimal commas, day before month, a total row',
    encoding: 'latin1',
    lineEnd: '\r\n',
    rows: 7,
    total: '1763.90',
    answers: {
      'column:mop': 'Karte',
      guard: 'none',
    },
    leftOut: ['total row Summe | 1.763,90'],
    outcomes: '7 approved',
  },
  {
    name: 'excel-mac',
    like: 'Excel for Mac',
    shows: 'a byte order mark, line ends of the Mac, customer codes, columns that add up',
    encoding: 'utf8',
    lineEnd: '\r',
    rows: 6,
    total: '403.00',
    answers: {
      'column:invoice': 'Bill',
      'column:customerCode': 'Member code',
      'column:amount': 'To pay',
      'column:comment': 'For',
      guard: 'none',
    },
    leftOut: [],
    outcomes: '6 approved',
  },
  {
    name: 'libreoffice',
    like: 'LibreOffice Calc',
    shows: 'quotes around all texts, year before month, names in one column',
    encoding: 'utf8',
    lineEnd: '\n',
    rows: 6,
    total: '489.25',
    answers: {
      'column:date': 'Day',
      'column:invoice': 'Number',
      'column:lastName': 'Name, part 1 at ", "',
      'column:amount': 'Sum',
      'column:mop': 'Card',
      'column:expiry': 'Valid until',
      guard: 'none',
    },
    leftOut: [],
    outcomes: '5 approved, 1 declined',
  },
  {
    name: 'quickbooks',
    like: 'QuickBooks',
    shows: 'four lines above the titles, payments among the invoices, a total row, a last line',
    encoding: 'utf8',
    lineEnd: '\r\n',
    rows: 7,
    total: '1507.00',
    answers: {
      'column:invoice': 'No.',
      'column:amount': 'Open balance',
    },
    leftOut: ['2 rows "Kind: Payment", sum -85.00', '1 line at the end', 'total row TOTAL | $1,422.00 | $1,427.00'],
    outcomes: '6 approved, 1 declined',
  },
  {
    name: 'xero',
    like: 'Xero',
    shows: 'customer codes, paid and drafted invoices among the open ones, a currency',
    encoding: 'utf8',
    lineEnd: '\r\n',
    rows: 6,
    total: '921.60',
    answers: {
      'column:invoice': 'Invoice number',
      'column:customerCode': 'Contact code',
      'column:amount': 'Still due',
      'column:comment': 'Note',
    },
    leftOut: ['1 row "Status: Paid", sum 0.00', '1 row "Status: Draft", sum 48.00'],
    outcomes: '6 approved',
  },
  {
    name: 'sage',
    like: 'Sage, Canada',
    shows: 'debits and credits in two columns, the bank account in three parts, a grand total',
    encoding: 'latin1',
    lineEnd: '\r\n',
    rows: 6,
    total: '1418.75',
    answers: {
      'column:invoice': 'Document',
      'column:lastName': 'Name, part 2 at " "',
      'column:accountType': 'Account kind',
      'column:accountNumber': '"0" + Institution + Transit + Bank account',
      'column:amount': 'Debit - Credit',
      'column:comment': 'Details',
      negative: 'skip',
      guard: 'none',
    },
    leftOut: ['1 row "other sign", sum -15.00', 'total row Grand total | 1,418.75 | 15.00'],
    outcomes: '6 pending at bank',
  },
  {
    name: 'blackbaud',
    like: "Blackbaud Raiser's Edge",
    shows: 'quotes around all cells, gifts that were paid otherwise, dashes in card numbers',
    encoding: 'utf8',
    lineEnd: '\r\n',
    rows: 6,
    total: '1330.00',
    answers: {
      'column:date': 'Given on',
      'column:invoice': 'Gift no.',
      'column:street': 'Address line',
      'column:city': 'City',
      'column:amount': 'Gift amount',
      'tells:Fund': 'guard',
    },
    leftOut: ['1 row "Pay method: Personal check", sum 40.00', '1 row "Pay method: Direct debit", sum 60.00'],
    outcomes: '6 approved',
  },
  {
    name: 'bank',
    like: 'a bank',
    shows: 'tabs, cents without a point, codes for the kind of account, a trailer',
    encoding: 'utf8',
    lineEnd: '\n',
    rows: 6,
    total: '438.50',
    answers: {
      'column:invoice': '7',
      'column:accountType': '2',
      'column:accountNumber': '3 + 4',
      'column:amount': '5',
      'column:comment': '9',
      'tells:1': 'guard',
      number: '0000123456',
      sign: '(own sign)',
    },
    leftOut: ['total row T | 6 | ******3850'],
    outcomes: '6 pending at bank',
  },
];

export function renderExportSample({ name, lineEnd, encoding }: ExportSample): Buffer {
  return Buffer.from(EXPORT_LINES[name].map((line) => line + lineEnd).join(''), encoding);
}
