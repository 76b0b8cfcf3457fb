import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { readRecorded } from './archive-rows.ts';
import { csvLines } from '../../csv/write/write-csv.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import { findFile } from '../../ledger/file/search.ts';
import { ARCHIVED_COLUMNS, listArchives, NULL } from './read-archived.ts';
import { readArchiveOf } from '../../ledger/retention/archived-rows.ts';
import { act, actionCommand } from '../../cli/action-command.ts';
import { type CliCommand, JSON_OPTION, keysOf, print, withLedger } from '../../cli/command.ts';
import { findAccounts, stopping } from '../../cli/commands/account.ts';
import { withStopSignal } from '../../cli/process/stop-signal.ts';
import { tableOf } from '../../cli/print/table.ts';

const move = stopping({
  ...actionCommand(
    'archive-rows',
    {
      name: 'move',
      about: 'Move the rows of old finished files out of the ledger',
      takes: [['[account]', 'account of the configuration; left out with --all']],
      required: [['--before <day>', 'only files that ended before this day, such as 2026-01-31, in UTC']],
      options: [['--all', 'all accounts']],
      notes: [
        `Files that new payments are compared with stay, and so do files with anything open. Totals, batches, history
and fingerprints stay for all. The archives lie in the archive folder of this host: copy it with every backup. They
contain masked rows; batches in them open only with the key of their file, until its retention ends.`,
        'After a crash or a stop, run it again.',
      ],
      examples: [
        'archive move main --before 2026-01-01 --plan',
        'archive move --all --before 2026-01-01 --reason "the year is closed"',
      ],
    },
    findAccounts,
  ),
  run: (call) =>
    withStopSignal((stop) =>
      act(call, 'archive-rows', findAccounts, { filled: { before: String(call.options['before']) }, stop }),
    ),
});

const list: CliCommand = {
  name: 'list',
  about: 'Show the archives, and whether they are on this host',
  options: [JSON_OPTION],
  examples: ['archive list', 'archive list --json'],
  async run(call) {
    return withLedger(call, async (ledger, settings) => {
      const found = (await listArchives(ledger)).map((one) => ({
        ...one,
        isHere: existsSync(join(settings.paths.archive, one.name)),
      }));
      const missing = found.filter(({ isHere, host }) => !isHere && host === ledger.instance.host);
      print(call, found, () =>
        found.length === 0
          ? 'There are no archives.'
          : tableOf(
              found,
              {
                Made: ({ madeAt }) => madeAt.toISOString(),
                Account: ({ account }) => account,
                Files: ({ files }) => String(files),
                Rows: ({ rows }) => String(rows),
                Total: ({ cents }) => formatCents(cents),
                Host: ({ host }) => host,
                Archive: ({ name, isHere }) => `${name}${isHere ? '' : ' (not on this host)'}`,
              },
              ['Files', 'Rows', 'Total'],
            ),
      );
      return missing.length === 0 ? EXIT.ok : EXIT.exception;
    });
  },
};

const TITLES = [
  'Line',
  'Batch',
  'Invoice',
  'Customer Code',
  'Amount',
  'Last Digits',
  'Outcome',
  'Code',
  'Message',
  'Authorization',
];

const read: CliCommand = {
  name: 'read',
  about: 'Print the rows of an archived file as CSV',
  takes: [['<file>', 'its id, the first characters of the id, or its name']],
  options: [JSON_OPTION],
  notes: [
    'Reads and verifies the whole archive first. Numbers of cards and accounts are not in it but for the last digits.',
  ],
  examples: ['archive read monday.csv > monday-rows.csv', 'archive read g7fhpaqs --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const file = await findFile(ledger, call.arguments[0] ?? '');
      const archive = await readArchiveOf(ledger, file);
      if (!archive)
        throw new PipelineError('NOT_FOUND', `read the archive of "${file.name}"`, 'its rows are in the ledger', {
          next: `See "paydrop show ${file.file_id}".`,
        });
      if (!existsSync(join(settings.paths.archive, archive.name)))
        throw new PipelineError('NOT_FOUND', `read "${archive.name}"`, 'it is not in the archive folder of this host', {
          next: `Run this on host ${archive.host}, or copy the file here.`,
        });
      const keys = keysOf(settings);
      const rows: ReturnType<typeof rowOf>[] = [];
      await readRecorded({ ledger, settings, keys }, archive, (table, cells) => {
        if (table === 'payment_row' && cells[0] === String(file.file_no)) rows.push(rowOf(cells));
      });
      print(call, rows, () => rowsText(rows));
    });
    return EXIT.ok;
  },
};

function rowOf(cells: readonly string[]) {
  const of = (name: string) => plain(cells[ARCHIVED_COLUMNS.indexOf(name)]!);
  const numberOf = (name: string) => (of(name) === null ? null : Number(of(name)));
  return {
    line: Number(of('line')),
    batchNo: numberOf('batch_no'),
    invoice: of('invoice') ?? '',
    customerCode: of('customer_code') ?? '',
    amountCents: numberOf('amount_cents'),
    lastFour: of('last_four') ?? '',
    outcome: of('outcome') as Outcome | null,
    code: numberOf('code'),
    message: of('message'),
    authorization: of('authorization'),
  };
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Undoes the escapes of COPY. */
function plain(cell: string): string | null {
  return cell === NULL ? null : cell.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

function rowsText(rows: readonly ReturnType<typeof rowOf>[]): string {
  const line = csvLines({ guard: true });
  const lines = rows.map((row) =>
    line(
      [
        String(row.line),
        String(row.batchNo ?? ''),
        row.invoice,
        row.customerCode,
        row.amountCents === null ? '' : formatCents(row.amountCents),
        row.lastFour,
        row.outcome === null ? '' : OUTCOMES[row.outcome].label,
        String(row.code ?? ''),
        row.message ?? '',
        row.authorization ?? '',
      ],
      new Set([AMOUNT_AT]),
    ),
  );
  return [line(TITLES), ...lines].join('').trimEnd();
}

const AMOUNT_AT = TITLES.indexOf('Amount');

export const archive: CliCommand = {
  name: 'archive',
  about: 'Keep the ledger small: move the rows of old files to sealed archives, and read them',
  commands: [move, list, read],
  examples: ['archive move --all --before 2026-01-01 --plan', 'archive list', 'archive read monday.csv'],
};
