import type { ProfilePlace } from '../../../../src/csv/profile/check-profile.ts';

/** The six example profiles, as the text of their files. */
export const EXAMPLE_PROFILES = {
  'quickbooks-dues': `
layout: card
note: Report "Dues due by customer", exported as CSV by the office
read: { charset: utf-8, separator: comma }
head:
  within: 8
  above: [Acme Swim Club Inc, Dues due by customer]
  titles: [Date, Transaction Type, Num, Customer, Billing Street, Billing City, Billing State, Billing ZIP,
           Card Type, Card Number, Card Exp, Memo/Description, Open Balance, Amount]
rows:
  only:
    - { column: Transaction Type, take: [Invoice], skip: [Payment] }
  totals:
    - { when: { column: Date, is: TOTAL }, amount: Amount, of: taken, must: once }
  tail: 2
columns:
  date: { from: Date, format: MM/DD/YYYY }
  invoice: { from: Num }
  lastName: { from: Customer, split: ', ', part: 1, of: 2, otherwise: whole }
  firstName: { from: Customer, split: ', ', part: 2, of: 2, otherwise: empty }
  street: { from: Billing Street }
  city: { from: Billing City }
  state: { from: Billing State }
  zipCode: { from: Billing ZIP }
  amount: { from: Amount, number: { decimal: '.', group: ',' }, sign: as-written }
  mop: { from: Card Type, words: { Visa: VISA, MasterCard: MC, American Express: AMX, Discover: DSC } }
  cardNumber: { from: Card Number, strip: [space] }
  expiry: { from: Card Exp, format: MM/YYYY }
ignore: [Memo/Description, Open Balance]
`,
  'xero-invoices': `
layout: card-code
note: Sales invoices, all columns, UK organisation
read: { charset: utf-8, separator: comma }
head:
  titles: [ContactName, AccountNumber, EmailAddress, InvoiceNumber, Reference, InvoiceDate, DueDate, Total,
           TaxTotal, InvoiceAmountPaid, InvoiceAmountDue, Currency, Type, Status]
rows:
  only:
    - { column: Type, take: [Sales invoice], skip: [Sales credit note] }
    - { column: Status, take: [Awaiting Payment], skip: [Draft, Paid, Voided] }
  repeatedInvoice: hold
columns:
  invoice: { from: InvoiceNumber }
  customerCode: { from: AccountNumber }
  amount: { from: InvoiceAmountDue, number: { decimal: '.' }, sign: as-written }
  comment: { from: Reference, empty: keep }
ignore: [ContactName, EmailAddress, InvoiceDate, DueDate, Total, TaxTotal, InvoiceAmountPaid]
check:
  cells: [{ column: Currency, is: [GBP] }]
  sums: [{ add: [InvoiceAmountPaid, InvoiceAmountDue], equals: Total }]
`,
  'sage-eft': `
layout: ach
note: Customer transactions, "Pre-authorised debits"
read: { charset: windows-1252, separator: comma }
head:
  titles: [Customer No, Name, Document No, Doc Date, Debit, Credit, Acct Kind, Institution, Transit,
           Bank Account, Details]
rows:
  skip:
    - { name: subtotal, when: [{ column: Customer No, starts: 'Total for ' }, { column: Document No, empty: true }] }
  totals:
    - { when: { column: Customer No, is: Grand total }, amount: Debit, of: taken, must: once }
columns:
  invoice: { from: Document No }
  lastName: { from: Name }
  firstName: { value: '' }
  accountType: { from: Acct Kind, words: { Chequing: CHECKING, Savings: SAVING } }
  accountNumber:
    join:
      - { text: '0' }
      - { from: Institution, digits: 3 }
      - { from: Transit, digits: 5 }
      - { from: Bank Account, digits: 5..12 }
  amount:
    positive: Debit
    negative: Credit
    number: { decimal: '.', group: ',' }
    nothing: ['', '0.00']
  comment: { from: Details, empty: keep }
ignore: [Customer No, Doc Date]
`,
  'blackbaud-gifts': `
layout: card
note: Query "Monthly card gifts", export type tab
read: { charset: windows-1252, separator: tab }
head:
  titles: [Gift ID, Constituent ID, First Name, Last Name, Address, City, State, ZIP, Gift Date, Gift Amount,
           Pay Method, Credit Type, Credit Card Number, Expires On, Fund]
rows:
  only:
    - { column: Pay Method, take: [Credit Card], skip: [Cash, Personal Check, Direct Debit] }
columns:
  date: { from: Gift Date, format: M/D/YYYY }
  invoice: { from: Gift ID, shape: { length: 1..20 } }
  firstName: { from: First Name, empty: keep }
  lastName: { from: Last Name }
  street: { from: Address, empty: keep }
  city: { from: City, empty: keep }
  state: { from: State, empty: keep }
  zipCode: { from: ZIP, empty: keep }
  amount: { from: Gift Amount, number: { decimal: '.', group: ',', symbol: $, negative: [parentheses] },
            sign: as-written }
  mop: { from: Credit Type, words: { Visa: VISA, Master Card: MC, MasterCard: MC, Amex: AMX, Discover: DSC } }
  cardNumber: { from: Credit Card Number, strip: [space, dash] }
  expiry: { from: Expires On, format: MM/YYYY }
ignore: [Constituent ID, Fund]
`,
  'excel-de': `
layout: card
note: Saved as "CSV (Trennzeichen-getrennt)"
read: { charset: windows-1252, separator: semicolon, sepLine: allow }
head:
  titles: [Datum, Rechnungsnr., Vorname, Nachname, Straße, Ort, PLZ, Betrag, Kartenart, Kartennummer, Gültig bis]
rows:
  totals:
    - { when: { column: Datum, is: Summe }, amount: Betrag, of: taken, must: maybe }
columns:
  date: { from: Datum, format: DD.MM.YYYY }
  invoice: { from: Rechnungsnr. }
  firstName: { from: Vorname, empty: keep }
  lastName: { from: Nachname }
  street: { from: Straße, empty: keep }
  city: { from: Ort, empty: keep }
  state: { value: '' }
  zipCode: { from: PLZ, empty: keep }
  amount: { from: Betrag, number: { decimal: ',', group: '.', symbol: €, negative: [minus, trailing-minus] },
            sign: as-written }
  mop: { from: Kartenart, words: { Visa: VISA, Mastercard: MC, Maestro: MAESTR, American Express: AMX } }
  cardNumber: { from: Kartennummer, excelText: accept, strip: [space] }
  expiry: { from: Gültig bis, format: MM/YY }
`,
  'bank-ach': `
layout: ach
note: Debit list of the old bank, file type 7
read: { charset: iso-8859-1, separator: comma, quotes: none }
head: { titles: none, count: 8 }
rows:
  totals:
    - { when: { column: 1, is: T }, cells: 3, rows: 2, amount: 3, of: taken, must: once }
  otherSign: hold
columns:
  invoice: { from: 7, shape: { starts: [D], rest: digits, length: 9 } }
  lastName: { from: 6 }
  firstName: { value: '' }
  accountType: { from: 2, words: { '22': CHECKING, '27': CHECKING, '32': SAVING, '37': SAVING } }
  accountNumber:
    join:
      - { from: 3, digits: 9, check: aba }
      - { from: 4, digits: 4..17 }
  amount: { from: 5, number: { unit: cents, digits: 10 },
            sign: { by: 2, positive: ['27', '37'], negative: ['22', '32'] } }
  comment: { value: Monthly dues }
ignore: [8]
check:
  cells: [{ column: 1, is: [D] }]
`,
} as const satisfies Record<string, string>;

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
