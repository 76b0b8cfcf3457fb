import { EXIT } from '../../../schemas/errors.ts';
import { type Advice, ADVICE } from '../../../schemas/rejections.ts';
import { saidState } from '../../../schemas/shown.ts';
import { readPicked } from '../../actions/reprocess/reprocess-actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import {
  listRuns,
  readItems,
  readReprocess,
  type ReprocessItem,
  type ReprocessRow,
} from '../../ledger/reprocess/judge-items.ts';
import { selectAll, selectPicked } from '../../ledger/reprocess/select-items.ts';
import { act, actionCommand, type FindByWords } from '../action-command.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { operatorName } from '../option-values.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { lineHere } from '../print/paydrop-line.ts';
import { textTable } from '../print/table.ts';
import { sayOut } from '../print/say.ts';

const NUMBER = [['<no>', 'its number, as "paydrop reprocess list" shows it']] as const;

const findSelection: FindByWords = async (ledger, _settings, words) => {
  if (!/^[1-9]\d{0,14}$/.test(words))
    throw new PipelineError('USAGE', 'find a selection', `"${words}" is not the number of a selection`, {
      next: 'See "paydrop reprocess list".',
    });
  return { kind: 'selection', run: await readReprocess(ledger.pool, Number(words)) };
};

const select: CliCommand = {
  name: 'select',
  about: 'Freeze the payments that may go again, and show the plan; nothing is done yet',
  options: [
    ['--account <name>', 'only of this account'],
    ['--advice <advice>', `only declined with this advice: ${ADVICE.join(', ')}`],
    [
      '--items <list>',
      'exactly these, separated by commas: FILE-ID/LINE a payment, batch:FILE-ID/NO a refused batch, lost:NO a lost file',
    ],
    JSON_OPTION,
  ],
  examples: ['reprocess select --advice later', 'reprocess select --account main --advice later --json'],
  async run(call) {
    const runNo = await withLedger(call, (ledger) => freeze(ledger, call));
    const status = await act(
      { ...call, arguments: [String(runNo)], options: { ...call.options, plan: true } },
      'reprocess',
      findSelection,
      { filled: {} },
    );
    if (!call.options['json'])
      sayOut(`\nTo do it:\n  ${lineHere(call, 'reprocess', 'run', String(runNo), '--reason')} …`);
    return status;
  },
};

function freeze(ledger: Ledger, { options }: Call): Promise<number> {
  const because: AuditReason = { actor: operatorName(), reason: 'selected on the command line' };
  const { account, advice, items } = options;
  if (items !== undefined) return selectPicked(ledger, readPicked(String(items).split(',')), because);
  if (advice !== undefined && !ADVICE.some((each) => each === advice))
    throw new PipelineError('USAGE', 'select payments', `"${advice}" is no advice`, {
      next: `Choose one: ${ADVICE.join(', ')}.`,
    });
  const wanted = { account: account && String(account), advice: advice as Advice | undefined };
  return selectAll(ledger, wanted, because);
}

const run = actionCommand(
  'reprocess',
  {
    name: 'run',
    about: 'Send the payments of a selection again, as its plan says',
    takes: NUMBER,
    options: [['--name <name>', 'of the run, such as the incident']],
    notes: [
      'A worker of the running paydrop does it file by file. Each payment is sent again once. Above the limits of reprocess.secondPersonAbove this is a proposal: the exit status is 3, and another person runs "paydrop confirm".',
    ],
    examples: ['reprocess run 7 --plan', 'reprocess run 7 --reason "the line to the bank is up again"'],
  },
  findSelection,
  ({ options }) => (options['name'] === undefined ? {} : { filled: { name: String(options['name']) } }),
);

const stop = actionCommand(
  'stop-run',
  {
    name: 'stop',
    about: 'Leave out what a run has not done yet; what is done stays done',
    takes: NUMBER,
    examples: ['reprocess stop 7'],
  },
  findSelection,
);

const show: CliCommand = {
  name: 'show',
  about: 'Show how far a run is, and what became of each item',
  takes: NUMBER,
  options: [JSON_OPTION],
  examples: ['reprocess show 7', 'reprocess show 7 --json'],
  async run(call) {
    const shown = await withLedger(call, async (ledger, settings) => {
      const subject = await findSelection(ledger, settings, call.arguments[0] ?? '');
      const selection = (subject as { run: ReprocessRow }).run;
      return { selection, items: await readItems(ledger, selection.run_no) };
    });
    print(call, shown, () => `${headOf(shown.selection)}\n\n${itemTable(shown.items)}`);
    return EXIT.ok;
  },
};

const list: CliCommand = {
  name: 'list',
  about: 'List the last selections and runs',
  options: [JSON_OPTION],
  examples: ['reprocess list'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const runs = await listRuns(ledger, 20);
      const when = momentsIn(zoneOf(settings), ledger.clock.now());
      print(call, runs, () =>
        runs.length === 0
          ? 'Nothing was selected yet.'
          : textTable(
              ['No', 'Name', 'State', 'Payments', 'Done', 'Left out', 'By', 'Since'],
              runs.map((one) => [
                String(one.run_no),
                one.name ?? '',
                saidState(one.state),
                String(one.rows),
                String(one.done),
                String(one.left),
                one.begun_by ?? one.made_by,
                when(one.state_at),
              ]),
              [0, 3, 4, 5],
            ),
      );
    });
    return EXIT.ok;
  },
};

export const reprocess: CliCommand = {
  name: 'reprocess',
  about: 'Send payments of many files again, and refused batches: select, look at the plan, run',
  commands: [select, run, show, stop, list],
  examples: ['reprocess select --advice later', 'reprocess run 7 --reason "the line to the bank is up again"'],
};

function headOf({ run_no: no, name, state, reason }: ReprocessRow): string {
  return [`Selection ${no}: ${saidState(state)}`, ...(name === null ? [] : [`${name}: ${reason}`])].join('\n');
}

function itemTable(items: readonly ReprocessItem[]): string {
  const rows = items.map(({ name, batchNo, account, rows: count, cents, result, explanation, newName }) => [
    batchNo === null ? name : `${name}/${batchNo}`,
    account,
    String(count),
    formatCents(cents),
    result === null ? 'waits' : result.replace('_', ' '),
    newName ?? explanation ?? '',
  ]);
  return textTable(['File', 'Account', 'Payments', 'Total', 'Result', 'New file, or why not'], rows, [2, 3]);
}
