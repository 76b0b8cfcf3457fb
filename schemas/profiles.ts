import { z } from 'zod';
import { type ColumnKind, COLUMNS, type ColumnName, LAYOUTS, type LayoutName } from './layouts.ts';

/**
 * An import profile: how the files of one accounting system become rows of a layout. It names every title of the file,
 * gives each column of the layout one rule, and lists what is not sent. Nothing is detected when a file is read.
 *
 * `description` of each key is printed in the reference.
 */

/** A title of the file, `City#2` for the second of two equal ones, or the number of a column from 1 without titles. */
const Title = z.union([z.string().min(1).max(200), z.int().min(1).max(500)]);
export type Title = z.infer<typeof Title>;

/** Exactly this many, or `4..17` for a range. */
const Count = z.union([z.int().min(1).max(200), z.string().regex(/^\d{1,3}\.\.\d{1,3}$/, 'write a number, or 4..17')]);

const Word = z.string().max(200);

export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type SeparatorName = keyof typeof SEPARATORS;

const TextForm = z.strictObject({
  kind: z.literal('text').describe('A text file with one row per line; the usual kind'),
  charset: z.enum(['utf-8', 'utf-16', 'windows-1252', 'iso-8859-1']).describe('Character set of the bytes'),
  separator: z.enum(Object.keys(SEPARATORS) as [SeparatorName, ...SeparatorName[]]).describe('Between two cells'),
  quotes: z.enum(['double', 'none']).default('double').describe('none: a quote anywhere refuses the file'),
  sepLine: z
    .enum(['refuse', 'allow'])
    .default('refuse')
    .describe('A first line such as sep=; which must name the separator of the profile'),
  lineBreaks: z
    .enum(['refuse', 'space'])
    .default('refuse')
    .describe('Line ends within quotes: refuse the file, or read each as a space'),
});

const WorkbookForm = z.strictObject({
  kind: z.literal('workbook').describe('An Excel workbook (.xlsx)'),
  sheet: z.string().min(1).max(31).describe('Name of its sheet'),
  formulas: z
    .array(Title)
    .default([])
    .describe('Columns of payments whose cells may hold formulas; their saved results count'),
});

const Condition = z
  .strictObject({
    column: Title,
    is: z.string().optional().describe('The whole cell'),
    starts: z.string().min(1).optional().describe('Its beginning'),
    empty: z.literal(true).optional().describe('It is empty'),
  })
  .refine(
    ({ is, starts, empty }) => [is, starts, empty].filter((part) => part !== undefined).length === 1,
    'write exactly one of is, starts and empty',
  );

/** Each entry of these lists is compared with every row. */
const MOST_ENTRIES = 100;

const Conditions = z.union([Condition, z.array(Condition).min(1).max(MOST_ENTRIES)]);

const Head = z.strictObject({
  titles: z
    .union([z.array(z.string().min(1).max(200)).min(1).max(500), z.literal('none')])
    .describe('All titles in their order, or none'),
  order: z.enum(['exact', 'any']).default('exact').describe('any: the same titles in any order'),
  line: z.int().min(1).max(100).optional().describe('Line of the titles; left out without within, 1'),
  within: z.int().min(1).max(100).optional().describe('The titles stand once in so many first lines'),
  above: z.array(z.string().min(1).max(200)).default([]).describe('Texts that stand above the titles in every file'),
  count: z.int().min(1).max(500).optional().describe('Without titles: columns of every row'),
});

const Rows = z.strictObject({
  blank: z.enum(['skip', 'refuse']).default('skip').describe('Rows without any text'),
  only: z
    .array(
      z.strictObject({
        column: Title,
        take: z.array(Word).min(1).describe('Words of rows that are payments'),
        skip: z.array(Word).default([]).describe('Words of rows that are left out'),
      }),
    )
    .max(MOST_ENTRIES)
    .default([])
    .describe('Columns that tell payments from other rows; any other word holds the file'),
  skip: z
    .array(z.strictObject({ name: z.string().min(1).max(60), when: Conditions }))
    .max(MOST_ENTRIES)
    .default([])
    .describe('Rows that are left out, such as subtotals'),
  totals: z
    .array(
      z.strictObject({
        when: Conditions,
        amount: Title.optional().describe('Column whose sum it states'),
        rows: Title.optional().describe('Column with the number of rows'),
        cells: z.int().min(1).max(500).optional().describe('Its number of cells, if not that of the other rows'),
        of: z.enum(['taken', 'all']).default('taken').describe('all: with the rows left out by only'),
        must: z.enum(['once', 'maybe']).default('once').describe('Whether the row may be missing'),
      }),
    )
    .max(MOST_ENTRIES)
    .default([])
    .describe('Total rows, which are compared'),
  tail: z.int().min(0).max(5).default(0).describe('Most lines behind the last total row, each with one filled cell'),
  otherSign: z.enum(['hold', 'skip']).default('hold').describe('Rows of the other sign than the folder'),
  repeatedInvoice: z.enum(['hold', 'allow']).default('hold').describe('Two payments of one invoice number'),
});

const Check = z.strictObject({
  cells: z
    .array(z.strictObject({ column: Title, is: z.array(Word).min(1) }))
    .max(MOST_ENTRIES)
    .default([])
    .describe('Words that a payment must have, such as its currency'),
  sums: z
    .array(z.strictObject({ add: z.array(Title).min(1), equals: Title }))
    .max(MOST_ENTRIES)
    .default([])
    .describe('Columns that add up in each payment, written like the amount'),
  dates: z
    .strictObject({
      back: z.int().min(0).max(36_500).default(366),
      ahead: z.int().min(0).max(36_500).default(366),
    })
    .prefault({})
    .describe('A date more days away than this holds the file'),
  misfits: z.enum(['hold', 'refuse']).default('hold').describe('A cell of a payment that the profile cannot read'),
  firstFiles: z
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe('So many first files after a confirmation are held for a look'),
});

/** Shape of a text: its length, its beginning, and what follows. */
const Shape = z.strictObject({
  length: Count.optional(),
  starts: z.array(z.string().min(1)).optional(),
  rest: z.literal('digits').optional(),
  only: z.literal('digits').optional(),
});

const Part = z.union([
  z.strictObject({ text: z.string().min(1).max(40) }),
  z.strictObject({ from: Title, digits: Count.optional(), check: z.enum(['aba', 'luhn']).optional() }),
]);

/** One rule of a layout column. Which keys a column takes depends on its kind: `RULE_KEYS`. */
export const ColumnRule = z.strictObject({
  from: Title.optional().describe('The title that it is read from'),
  join: z.array(Part).min(1).max(8).optional().describe('Parts joined in this order'),
  value: z.string().max(200).optional().describe('The same text in every row'),
  split: z.string().min(1).max(10).optional().describe('Cuts the cell at this text'),
  part: z.int().min(1).max(8).optional().describe('The part to take, from 1'),
  of: z.int().min(2).max(8).optional().describe('How many parts there must be'),
  otherwise: z
    .enum(['misfit', 'whole', 'empty'])
    .optional()
    .describe('A cell with another number of parts: hold the file, take the whole cell, or leave the column empty'),
  words: z.record(z.string(), z.string()).optional().describe('What each word is sent as; any other holds the file'),
  strip: z
    .array(z.enum(['space', 'dash']))
    .optional()
    .describe('Taken out of a number'),
  excelText: z.literal('accept').optional().describe('="00123" is read as 00123'),
  shape: Shape.optional().describe('What the cell must look like'),
  digits: Count.optional().describe('How many digits there must be'),
  check: z.enum(['aba', 'luhn']).optional().describe('Check digit: of a routing number, or of a card'),
  format: z.string().min(2).max(20).optional().describe('How a date or expiry is written, such as DD.MM.YYYY'),
  language: z.enum(['en', 'fr', 'de', 'es']).optional().describe('Language of the months of MMM'),
  time: z.enum(['refuse', 'drop']).optional().describe('What follows the date behind a blank'),
  month: Title.optional().describe('Expiry: title of the month'),
  year: Title.optional().describe('Expiry: title of the year'),
  type: z.enum(['date', 'number']).optional().describe('Workbook: type of the cell, in place of a form'),
  number: z
    .strictObject({
      decimal: z.enum(['.', ',', 'none']).optional().describe('Decimal mark'),
      group: z.enum([',', '.', 'space', 'apostrophe', 'none']).default('none').describe('Mark at every third digit'),
      places: z
        .union([z.literal(2), z.literal('1..2')])
        .default(2)
        .describe('Decimal places'),
      whole: z.enum(['refuse', 'allow']).default('refuse').describe('Amounts without decimals'),
      symbol: z.string().min(1).max(5).optional().describe('Currency sign or code that may stand before or behind'),
      negative: z
        .array(z.enum(['minus', 'trailing-minus', 'parentheses', 'unicode-minus']))
        .default(['minus'])
        .describe('How a negative amount is written'),
      unit: z.enum(['money', 'cents']).default('money').describe('cents: digits only, as many as digits says'),
      digits: z.int().min(3).max(15).optional(),
    })
    .optional()
    .describe('How an amount is written'),
  sign: z
    .union([
      z.enum(['as-written', 'negate']),
      z.strictObject({ by: Title, positive: z.array(Word).min(1), negative: z.array(Word).default([]) }),
    ])
    .optional()
    .describe('Sign of the amount: its own, the opposite, or by the words of a column'),
  positive: Title.optional().describe('Amount in two columns: the one of positive amounts'),
  negative: Title.optional().describe('Amount in two columns: the one of negative amounts'),
  nothing: z.array(Word).optional().describe('Amount in two columns: what the other cell holds'),
  empty: z.enum(['refuse', 'keep']).optional().describe('An empty cell of an optional text'),
});
export type ColumnRule = z.infer<typeof ColumnRule>;

const TEXT_KEYS = ['from', 'join', 'value', 'split', 'part', 'of', 'otherwise', 'empty'] as const;
const NUMBER_KEYS = ['from', 'join', 'strip', 'excelText', 'shape', 'digits', 'check'] as const;

/** Keys that the rule of a column may have, by the kind of the column. */
export const RULE_KEYS: { readonly [Kind in ColumnKind]: readonly (keyof ColumnRule)[] } = {
  date: ['from', 'format', 'language', 'time', 'type'],
  invoice: ['from', 'join', 'excelText', 'shape'],
  text: [...TEXT_KEYS, 'excelText'],
  amount: ['from', 'number', 'sign', 'positive', 'negative', 'nothing', 'type'],
  mop: ['from', 'words', 'value'],
  cardNumber: NUMBER_KEYS,
  expiry: ['from', 'format', 'language', 'month', 'year', 'type'],
  accountType: ['from', 'words', 'value'],
  accountNumber: NUMBER_KEYS,
  customerCode: ['from', 'excelText', 'shape'],
};

const columnNames = Object.keys(COLUMNS) as [ColumnName, ...ColumnName[]];

function withKind(read: unknown): unknown {
  return typeof read === 'object' && read !== null && !('kind' in read) ? { kind: 'text', ...read } : read;
}

export const Profile = z.strictObject({
  layout: z.enum(Object.keys(LAYOUTS) as [LayoutName, ...LayoutName[]]).describe('The layout that its rows become'),
  note: z.string().max(300).default('').describe('Where the export comes from'),
  read: z.preprocess(withKind, z.discriminatedUnion('kind', [TextForm, WorkbookForm])).describe('Form of the file'),
  head: Head.describe('What stands above the rows'),
  rows: Rows.prefault({}).describe('Which rows are payments'),
  columns: z.partialRecord(z.enum(columnNames), ColumnRule).describe('One rule for each column of the layout'),
  ignore: z.array(Title).max(500).default([]).describe('Titles that are not sent'),
  check: Check.prefault({}).describe('What must hold besides'),
});
export type Profile = z.infer<typeof Profile>;

export const ProfileName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use lower-case letters, digits and hyphens');

/** Answers about a sample, by the id of their question, as a file has them. */
export const SampleAnswers = z.record(
  z.string(),
  z.union([z.string(), z.array(z.string()), z.record(z.string(), z.string())]),
);

/**
 * Faults of the text of a profile, found before it reads anything.
 */
export const PROFILE_FAULTS = {
  PROFILE_KEY: 'a key is unknown, missing, or has a value that it cannot have',
  PROFILE_COLUMN_OPEN: 'a column of the layout has no rule',
  PROFILE_TITLE_OPEN: 'a title is neither used nor ignored',
  PROFILE_TITLE_UNKNOWN: 'a rule names a title that the file does not have',
  PROFILE_TITLE_TWICE: 'a title stands twice, so its place must be given',
  PROFILE_TITLE_BOTH: 'a title is used and ignored',
  PROFILE_SECRET_TWICE: 'the column of a card or account number feeds two columns of the layout',
  PROFILE_SECURITY_CODE: 'a title names a security code, which must not be exported at all',
  PROFILE_CONSTANT: 'this column cannot be the same in every row',
  PROFILE_MARKS: 'two marks are the same, or cannot be told apart',
  PROFILE_JOIN: 'two different rows could be joined to the same number',
  PROFILE_WORD: 'a word stands twice, or is sent as something that the account does not take',
  PROFILE_FORMAT: 'the form of a date or expiry is incomplete, or can be read in two ways',
  PROFILE_GUARD: 'a file without titles needs a shape of its invoice and customer code',
  PROFILE_NUMBER_IN_TEXT: 'a word or constant looks like a card number',
  PROFILE_LAYOUT: 'the layout does not belong to the operation or the country',
} as const;
export type ProfileFaultCode = keyof typeof PROFILE_FAULTS;

/**
 * Raised when a new version of paydrop reads any of these keys otherwise. It is part of the hash of a version, so every
 * profile must then be confirmed again.
 */
export const PROFILE_READER = 1;
