import { type Outcome, OUTCOMES } from '../../schemas/lifecycle.ts';
import { ADVICE } from '../../schemas/rejections.ts';
import { SHOWN_ADVICE, SHOWN_OUTCOMES } from '../../schemas/shown.ts';
import { DAY, DAYS_WORDS, readDays } from '../calendar/calendar.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import type { Settings } from '../config/config.ts';
import { PipelineError } from '../kernel/errors.ts';
import { holdsCardNumber, maskText } from '../kernel/mask.ts';
import { parseAmount } from '../kernel/money.ts';
import { joinedDigits } from '../kernel/plain-digits.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { findBatchesById, type FoundBatch, type FoundFile, searchFiles } from '../ledger/file/list-files.ts';
import type { FoundRow } from '../ledger/file/search.ts';
import { findArchivedInvoice, sayArchivedFile } from '../ledger/retention/archived-rows.ts';
import { findPayments, type PaymentSearch } from '../ledger/row/find-payments.ts';
import { findBatch, isBatchReference } from './batch-reference.ts';
import { readBlocks, type SaidPayment, sayPayment } from './read-blocks.ts';

/** Search words as understood: facts, and the rest as the text of an invoice, a name or an id. */
export type Search = Omit<PaymentSearch, 'invoiceStart' | 'invoiceEnd'> & {
  readonly text: string;
  /** The only kind of things that the words ask for. */
  readonly only?: 'payments' | 'files' | 'batches';
  /** Whether the words name an account. */
  readonly hasAccount?: boolean;
};

/** What search words are read with. */
export type SearchContext = Pick<Settings, 'accounts'> & { readonly now: Date; readonly timeZone: string };

/**
 * Refuses words that may hold a whole card or account number: 12 digits or more, in whatever groups, except those of a
 * day and a time, or a card number beside them.
 * @throws PipelineError USAGE, without the words
 */
export function mustNotHoldNumber(words: string): void {
  if (!/\d{12}/.test(joinedDigits(words.replaceAll(DATED, 'x'))) && !holdsCardNumber(words)) return;
  throw new PipelineError('USAGE', 'search for this', 'it may be a whole card or account number', {
    next: 'Numbers of 12 digits or more are not searched. Use the first digits of an invoice, or the last four of a card.',
  });
}

/** A day as people and programs write it, and in names of files also with the time. */
const DATED = new RegExp(
  `(?<!\\p{N})(?:${DAY}|${DAY.replaceAll('-(', '(')})(?:[_T.-]?\\d{4}(?:\\d\\d)?)?(?!\\p{N})`,
  'gu',
);

/** Reads search words. What is no fact is text. @throws PipelineError USAGE for a long number */
export function parseSearch(words: string, context: SearchContext): Search {
  mustNotHoldNumber(words);
  let search: Search = { text: '' };
  let left = words;
  for (const { sign, read } of RULES) {
    left = left.replaceAll(new RegExp(`(?<!\\S)(?:${sign})(?!\\S)`, 'giu'), (whole, ...found) => {
      // Behind the groups come the place and the whole text.
      const fact = read(
        found.slice(0, -2).filter((part) => part !== undefined),
        context,
      );
      if (fact === undefined) return whole;
      search = {
        ...search,
        ...fact,
        text: joined(search.text, fact.text),
        accounts: common(search.accounts, fact.accounts),
      };
      return ' ';
    });
  }
  return { ...search, text: joined(search.text, left) };
}

function joined(...texts: (string | undefined)[]): string {
  return texts.join(' ').trim().replaceAll(/\s+/g, ' ');
}

function common(some: Search['accounts'], others: Search['accounts']): Search['accounts'] {
  return some && others ? some.filter((account) => others.includes(account)) : (some ?? others);
}

/** Reads the groups of its sign; undefined when they mean nothing after all. */
type Rule = {
  readonly sign: string;
  readonly read: (found: string[], context: SearchContext) => Partial<Search> | undefined;
};

const AMOUNT = '(-?\\d{1,3}(?:,\\d{3})+(?:\\.\\d{1,2})?|-?\\d+(?:[.,]\\d{1,2})?)';
const LARGEST = Number.MAX_SAFE_INTEGER;

const OUTCOME_WORDS = new Map(
  (Object.keys(SHOWN_OUTCOMES) as Outcome[])
    // The ledger does not store these two with a payment.
    .filter((outcome) => outcome !== 'not_sent' && outcome !== 'invalid')
    // The word of the pages, and the label of the output files.
    .flatMap((outcome) =>
      [SHOWN_OUTCOMES[outcome].word, OUTCOMES[outcome].label].map((word) => [word.toLowerCase(), outcome] as const),
    ),
).set('pending', 'accepted_pending');
const ADVICE_WORDS = new Map(ADVICE.map((advice) => [SHOWN_ADVICE[advice].word.toLowerCase(), advice])).set(
  'later',
  'later',
);

/** What words may mean, in the order in which it is looked for. */
const RULES: readonly Rule[] = [
  { sign: '"([^"]+)"', read: ([text]) => ({ text: text! }) },
  { sign: 'inv(?:oice)?:(\\S+)', read: ([text]) => ({ text: text!, only: 'payments' }) },
  { sign: 'file:(\\S+)', read: ([text]) => ({ text: text!, only: 'files' }) },
  { sign: 'batch:(\\S+)', read: ([text]) => ({ text: text!, only: 'batches' }) },
  { sign: 'cust(?:omer)?:(\\S+)', read: ([customer]) => ({ customer: customer! }) },
  { sign: '(?:last:|[•*…]{1,4}|\\.{3})(\\d{4}|\\d\\d)', read: ([lastFour]) => ({ lastFour: lastFour! }) },
  { sign: 'code:(\\d{1,4})', read: ([code]) => ({ code: Number(code) }) },
  { sign: `(?:=|amount:)[$€£]?${AMOUNT}`, read: ([amount]) => between(amount, amount) },
  { sign: `>=?[$€£]?${AMOUNT}`, read: ([amount]) => between(amount, undefined) },
  { sign: `<=?[$€£]?${AMOUNT}`, read: ([amount]) => between(undefined, amount) },
  { sign: `${AMOUNT}\\.\\.${AMOUNT}`, read: ([from, to]) => between(from, to) },
  {
    sign: `[$€£]${AMOUNT}|(-?\\d{1,3}(?:,\\d{3})*\\.\\d{1,2}|-?\\d+[.,]\\d{1,2})`,
    read: ([amount]) => between(amount, amount),
  },
  { sign: `(${DAYS_WORDS})`, read: ([words], { now, timeZone }) => readDays(words!, now, timeZone) },
  {
    sign: `(${[...OUTCOME_WORDS.keys()].join('|')})`,
    read: ([word]) => ({ outcome: OUTCOME_WORDS.get(word!.toLowerCase())! }),
  },
  {
    sign: `(${[...ADVICE_WORDS.keys()].join('|')})`,
    read: ([word]) => ({ advice: ADVICE_WORDS.get(word!.toLowerCase())! }),
  },
  {
    sign: 'account:(\\S+)',
    read: ([name], context) => ({ accounts: accountsNamed(name!, context), hasAccount: true }),
  },
  {
    sign: '(\\S+)',
    read: ([word], context) => {
      const accounts = accountsNamed(word!, context);
      return accounts.length > 0 ? { accounts, hasAccount: true } : accountsPaying(word!, context);
    },
  },
];

function accountsNamed(name: string, { accounts }: SearchContext): string[] {
  return [...accounts.keys()].filter((account) => account.toLowerCase() === name.toLowerCase());
}

function accountsPaying(currency: string, { accounts }: SearchContext): Partial<Search> | undefined {
  const paying = [...accounts].filter(([, account]) => account.currency?.toLowerCase() === currency.toLowerCase());
  return paying.length === 0 ? undefined : { accounts: paying.map(([name]) => name) };
}

function between(from: string | undefined, to: string | undefined): Partial<Search> | undefined {
  const [least, most] = [centsOf(from, 0), centsOf(to, LARGEST)];
  return typeof least === 'number' && typeof most === 'number' ? { cents: { from: least, to: most } } : undefined;
}

/** Reads `1,234.50`, and `87,50` as it is written elsewhere. */
function centsOf(text: string | undefined, open: number): ReturnType<typeof parseAmount> {
  if (text === undefined) return open;
  return parseAmount(text.replaceAll(/,(?=\d{3}(?:\D|$))/g, '').replace(',', '.'));
}

/** What a search found: at most `MOST_FOUND` of each kind. */
export type Findings = {
  readonly payments: readonly SaidPayment[];
  readonly files: readonly FoundFile[];
  readonly batches: readonly FoundBatch[];
  /** The kinds of which there are more. */
  readonly more: readonly ('payments' | 'files')[];
  /** How it was searched, and what would find more. */
  readonly notes: readonly string[];
};

/** Most results of each kind; for more, the user must narrow the search. */
export const MOST_FOUND = 50;

/**
 * Finds what words name: payments by facts or the beginning of their invoice, files by name or id, batches by id.
 * @throws PipelineError USAGE for a long number
 */
export async function searchLedger(
  ledger: Ledger,
  settings: Settings,
  words: string,
  timeZone: string,
): Promise<Findings> {
  const search = parseSearch(words, { accounts: settings.accounts, now: ledger.clock.now(), timeZone });
  const found = await findBy(ledger, settings, search, timeZone);
  // Words for facts may stand in a name: `May dues.csv`.
  const isPlain = search.text === joined(words) || search.only !== undefined || needsFact(search);
  if (isPlain || !isNothing(found)) return found;
  const plain = await findBy(ledger, settings, { text: joined(words) }, timeZone);
  return isNothing(plain) ? found : plain;
}

/** Returns whether a search found nothing at all. */
export function isNothing({ payments, files, batches }: Findings): boolean {
  return payments.length + files.length + batches.length === 0;
}

async function findBy(ledger: Ledger, settings: Settings, search: Search, timeZone: string): Promise<Findings> {
  const { text, only } = search;
  const isOf = (kind: Search['only']) => only === undefined || only === kind;
  // Files and batches have none of the facts of a payment.
  const isBare = text !== '' && !hasPaymentFact(search);
  const [payments, files, batches, archived, blocksOf] = await Promise.all([
    isOf('payments') ? findSaid(ledger, search, timeZone) : NOTHING,
    isOf('files') && isBare ? searchFiles(ledger, search, MOST_FOUND + 1) : [],
    isOf('batches') && isBare ? findBatches(ledger, text) : [],
    isOf('payments') && text !== '' ? findArchivedInvoice(ledger, text) : [],
    readBlocks(ledger, settings),
  ]);
  const more = { payments: payments.rows.length > MOST_FOUND, files: files.length > MOST_FOUND };
  return {
    payments: payments.rows.slice(0, MOST_FOUND).map((row) => sayPayment(row, blocksOf)),
    files: files.slice(0, MOST_FOUND),
    batches,
    more: (['payments', 'files'] as const).filter((kind) => more[kind]),
    notes: [...payments.notes, ...archived.map((file) => sayArchivedFile(text, file))],
  };
}

function hasPaymentFact({ cents, lastFour, customer, outcome, code, advice }: Search): boolean {
  return [cents, lastFour, customer, outcome, code, advice].some((fact) => fact !== undefined);
}

/** One card in ten thousand ends alike, so the last digits are no search of their own. */
function needsFact(search: Search): boolean {
  return search.lastFour !== undefined && !hasSecondFact(search);
}

const MONTH_MS = 31 * 86_400_000 + 3_600_000;

function hasSecondFact({ cents, hasAccount, from, until }: Search): boolean {
  const isShort = from !== undefined && until !== undefined && until.getTime() - from.getTime() <= MONTH_MS;
  return hasAccount === true || cents !== undefined || isShort;
}

type FoundBy = { readonly rows: readonly FoundRow[]; readonly notes: readonly string[] };

const NOTHING: FoundBy = { rows: [], notes: [] };
/** Told instead of results where the last digits stand alone. */
export const SECOND_FACT =
  'To find a card by its last four digits, add the amount, a day or an account, such as 4242 87.50.';

async function findSaid(ledger: Ledger, search: Search, timeZone: string): Promise<FoundBy> {
  const { text, only: _, hasAccount: __, ...facts } = search;
  if (needsFact(search)) return { rows: [], notes: [SECOND_FACT] };
  const isEnd = /^(?:\d\d|\d{4})$/.test(text);
  const find = (more: PaymentSearch) => findPayments(ledger, { ...facts, ...more }, MOST_FOUND + 1);
  const found = await find(text === '' ? {} : { invoiceStart: text });
  const byEnd =
    isEnd && facts.lastFour === undefined && hasSecondFact(search) ? await find({ lastFour: text }) : undefined;
  const rows = byEnd === undefined ? found.rows : newestOf([...found.rows, ...byEnd.rows]);
  const hint = isEnd && text.length === 4 && !hasSecondFact(search) ? [SECOND_FACT] : [];
  if (rows.length > 0 || text === '')
    return { rows, notes: [...hint, ...sayReach(rows, byEnd?.since ?? found.since, timeZone)] };
  const ending = await find({ invoiceEnd: text });
  const first = ending.rows.length > 0 ? [`No invoice begins with “${maskText(text)}”; these end with it.`] : [];
  return { rows: ending.rows, notes: [...first, ...hint, ...sayReach(ending.rows, ending.since, timeZone)] };
}

function newestOf(rows: readonly FoundRow[]): FoundRow[] {
  const each = new Map(rows.map((row) => [`${row.fileId}/${row.line}`, row]));
  return [...each.values()].toSorted((one, other) => other.claimedAt.getTime() - one.claimedAt.getTime());
}

function sayReach(rows: readonly FoundRow[], since: Date | undefined, timeZone: string): string[] {
  if (since === undefined || rows.length > MOST_FOUND) return [];
  return [
    `Only the newest payments were searched, back to ${formatInZone(since, timeZone)}. For older ones, add a day.`,
  ];
}

/** Finds batches by the id of the service, or one by its file and number, as in `monday.csv/2`. */
async function findBatches(ledger: Ledger, text: string): Promise<FoundBatch[]> {
  if (!isBatchReference(text)) return findBatchesById(ledger, text);
  try {
    const { file, batch } = await findBatch(ledger, text);
    const { batch_no: batchNo, account, state, rows, cents, submitted_at } = batch;
    const { file_id: fileId, name, state: fileState } = file;
    return [{ fileId, batchNo, name, fileState, account, state, rows, cents, submitted_at }];
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}
