import { EXIT, saidCode } from '../../../schemas/errors.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { saidAnswer } from '../../../schemas/rejections.ts';
import { formatCents } from '../../kernel/money.ts';
import {
  buildSearchIndex,
  dropSearchIndex,
  findFile,
  findInvoice,
  type FoundRow,
  listSearchIndexes,
  SEARCH_INDEXES,
  type SearchIndex,
} from '../../ledger/file/search.ts';
import { type Call, type CliCommand, JSON_OPTION, print, readLedger, withLedger } from '../command.ts';
import { findArchivedInvoice, sayArchivedFile } from '../../ledger/retention/archived-rows.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { tableOf, textTable } from '../print/table.ts';
import type { Settings } from '../../config/config.ts';
import { type Findings, searchLedger } from '../../explain/search.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { findFileOrBatch, splitLine } from '../../explain/batch-reference.ts';
import { whyPayment } from '../../explain/why/tell-payment.ts';
import {
  describeWhy,
  type Why,
  whyArchived,
  whyBatch,
  whyFile,
  whyInvoice,
  whyUntaken,
} from '../../explain/why/tell-why.ts';
import { sayErr } from '../print/say.ts';

export const find: CliCommand = {
  name: 'find',
  about: 'Find payments, files and batches by what is known of them',
  takes: [
    ['[words...]', 'invoice or its beginning, amount, day, file, batch id, as on the search page of the dashboard'],
  ],
  options: [['--invoice <number>', 'only rows with this invoice, exactly as in the file'], JSON_OPTION],
  notes: [
    'Examples of words: inv-47, 87.50, ">500", "4242 87.50" (last four digits), today, "last week", 2026-11-22, declined, code:15, cust:C-19, main. Together, all of them must fit. Whole card and account numbers are refused.',
  ],
  examples: ['find inv-10', 'find 87.50 usd last week', 'find --invoice C-1002 --json'],
  async run(call) {
    const { invoice } = call.options;
    const words = call.arguments.join(' ').trim();
    if ((invoice === undefined) === (words === ''))
      throw new PipelineError(
        'USAGE',
        'find anything',
        'the words to find are missing, or there is an invoice beside them',
        {
          next: 'Write what you know, as in "paydrop find inv-10", or give --invoice.',
        },
      );
    await readLedger(call, async (ledger, settings) => {
      const when = momentsIn(zoneOf(settings), ledger.clock.now());
      if (invoice === undefined) {
        const found = await searchLedger(ledger, settings, words, zoneOf(settings));
        return print(call, found, () => describeFindings(found, when));
      }
      const rows = await findInvoice(ledger, String(invoice));
      const archived = await findArchivedInvoice(ledger, String(invoice));
      for (const file of archived) sayErr(sayArchivedFile(String(invoice), file));
      const table = () =>
        textTable(
          TITLES,
          rows.map((row) => describe(row, when)),
          [3],
        );
      print(call, rows, () =>
        rows.length === 0 ? `No ${archived.length > 0 ? 'other ' : ''}file had this invoice.` : table(),
      );
    });
    return EXIT.ok;
  },
};

function describeFindings({ payments, files, batches, more, notes }: Findings, when: (at: Date) => string): string {
  const tables = [
    payments.length > 0 &&
      textTable(
        ['Claimed', 'File', 'Line', 'Invoice', 'Amount', 'Number', 'Outcome', 'What it means', 'What to do'],
        payments.map((row) => [
          when(row.claimedAt),
          `${row.fileId} ${row.name}`,
          String(row.line),
          row.invoice,
          row.amountCents === null ? 'unreadable' : formatCents(row.amountCents),
          row.lastFour && `…${row.lastFour}`,
          row.word,
          row.means,
          row.advice ?? '',
        ]),
        [4],
      ),
    files.length > 0 &&
      textTable(
        ['Claimed', 'File', 'Name', 'Account', 'State'],
        files.map((file) => [when(file.claimed_at), file.file_id, file.name, file.account, saidState(file.state)]),
      ),
    batches.length > 0 &&
      textTable(
        ['Batch', 'Name', 'Account', 'Rows', 'Total', 'State'],
        batches.map(({ fileId, batchNo, name, account, rows, cents, state }) => [
          `${fileId}/${batchNo}`,
          name,
          account,
          String(rows),
          formatCents(cents),
          saidState(state),
        ]),
        [3, 4],
      ),
  ].filter((table) => table !== false);
  const isMore = more.map((kind) => `There are more ${kind}; these are the newest.`);
  return [...(tables.length === 0 ? ['Nothing fits.'] : tables), ...isMore, ...notes].join('\n\n');
}

const TITLES = ['Claimed', 'File', 'Line', 'Amount', 'Payer', 'Outcome', 'Message'];

function describe(row: FoundRow, when: (at: Date) => string): string[] {
  return [
    when(row.claimedAt),
    `${row.fileId} ${row.name}`,
    String(row.line),
    row.amountCents === null ? 'unreadable' : formatCents(row.amountCents),
    row.customerCode || (row.lastFour ? `…${row.lastFour}` : ''),
    outcomeOf(row),
    row.message === null ? row.faults.map(saidCode).join('; ') : saidAnswer(row.message, row.code),
  ];
}

/** Without an outcome, the state of the batch or file stands in. */
function outcomeOf(row: FoundRow): string {
  if (row.outcome) return OUTCOMES[row.outcome as Outcome].label;
  if (row.batchNo === null) return row.fileState === 'rejected' ? 'file rejected' : OUTCOMES.invalid.label;
  return row.batchState === null ? `file ${saidState(row.fileState)}` : saidState(row.batchState);
}

const INDEX_ARGUMENT = [['<name>', Object.keys(SEARCH_INDEXES).join(', ')]] as const;

function indexNamed(words: string | undefined): SearchIndex {
  if (words !== undefined && Object.hasOwn(SEARCH_INDEXES, words)) return words as SearchIndex;
  throw new PipelineError('USAGE', 'find an index for searches', `there is none of the name "${words ?? ''}"`, {
    next: `Choose one: ${Object.keys(SEARCH_INDEXES).join(', ')}.`,
  });
}

/** Adds or removes an index, and says what is so now. */
function indexCommand(name: 'build' | 'drop', about: string, change: typeof buildSearchIndex): CliCommand {
  return {
    name,
    about,
    takes: INDEX_ARGUMENT,
    options: [JSON_OPTION],
    examples: [`search-index ${name} amounts`],
    async run(call) {
      await withLedger(call, (ledger) => change(ledger, indexNamed(call.arguments[0])));
      return listIndexes.run(call);
    },
  };
}

const listIndexes = {
  name: 'list',
  about: 'Show what each index finds in all payments, and whether it is there',
  options: [JSON_OPTION],
  examples: ['search-index list', 'search-index list --json'],
  async run(call: Call) {
    await readLedger(call, async (ledger) => {
      const built = await listSearchIndexes(ledger);
      const names = Object.keys(SEARCH_INDEXES) as SearchIndex[];
      const rows = names.map((name) => ({ name, finds: SEARCH_INDEXES[name].finds, isBuilt: built.has(name) }));
      const columns = {
        Index: (row: (typeof rows)[0]) => row.name,
        Finds: (row: (typeof rows)[0]) => row.finds,
        'Is there': (row: (typeof rows)[0]) => (row.isBuilt ? 'yes' : 'no'),
      };
      print(call, rows, () => tableOf(rows, columns));
    });
    return EXIT.ok;
  },
} as const satisfies CliCommand;

export const searchIndex: CliCommand = {
  name: 'search-index',
  about: 'Add indexes that find amounts, ends of invoices and customer codes in all payments',
  notes: [
    'Without them such a search looks at the newest 50,000 payments, or at those of a day. Each index slows the intake of files, so none is there at first. It is built while paydrop works; a large ledger takes minutes.',
  ],
  examples: ['search-index list', 'search-index build amounts', 'search-index drop amounts'],
  commands: [
    listIndexes,
    indexCommand('build', 'Add an index while paydrop works', buildSearchIndex),
    indexCommand('drop', 'Remove an index', dropSearchIndex),
  ],
};

export const why: CliCommand = {
  name: 'why',
  about: 'Explain a file, a batch, a payment or an invoice: what happened, its state, what to do next',
  takes: [
    [
      '<file|batch|payment|invoice>',
      'a file, a batch as in monday.csv/2, a payment by its line as in monday.csv:12, or an invoice number exactly as in the file',
    ],
  ],
  options: [JSON_OPTION],
  examples: ['why monday.csv', 'why monday.csv/2', 'why monday.csv:12', 'why C-1002 --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    await readLedger(call, async (ledger, settings) => {
      const stories = await tell(ledger, settings, words);
      print(call, stories, () => stories.map(describeWhy).join('\n\n\n'));
    });
    return EXIT.ok;
  },
};

async function tell(ledger: Ledger, settings: Settings, words: string): Promise<Why[]> {
  const place = splitLine(words);
  if (place !== undefined) {
    const { file_id: fileId } = await findFile(ledger, place.fileWords);
    return [await whyPayment(ledger, settings, { fileId, line: place.line })];
  }
  try {
    const { file, batch } = await findFileOrBatch(ledger, words);
    return [batch ? await whyBatch(ledger, settings, file, batch) : await whyFile(ledger, settings, file)];
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code !== 'NOT_FOUND') throw error;
    const rows = await findInvoice(ledger, words);
    const archived = rows.length === 0 ? await whyArchived(ledger, settings, words) : [];
    if (archived.length > 0) return archived;
    const untaken = rows.length === 0 ? await whyUntaken(ledger, settings, words) : undefined;
    if (untaken) return [untaken];
    if (rows.length === 0) throw error;
    return whyInvoice(ledger, settings, rows);
  }
}
