import { ERRORS, EXIT } from '../../../schemas/errors.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import { faultText } from '../../actions/profile/read-text.ts';
import type { Folder } from '../../config/config.ts';
import type { CheckRules } from '../../csv/check/check-payment-file.ts';
import { parseProfile } from '../../csv/profile/profile-text.ts';
import { piecesOf, type Preview, type PreviewRow, previewSample, sayLeftOut } from '../../csv/suggest/preview.ts';
import { csvLines } from '../../csv/write/write-csv.ts';
import { pickVersion, readProfile } from '../../explain/read-profiles.ts';
import { checkContent, rulesOfFolder } from '../../explain/validate/check-content.ts';
import { faultsOfProfile } from '../../explain/validate/profile-faults.ts';
import { systemClock } from '../../kernel/clock.ts';
import { counted, groupDigits, groupedCount } from '../../kernel/counted.ts';
import { describeFault, PipelineError } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault } from '../../rows/rows.ts';
import { type Call, type CliCommand, JSON_OPTION, print, settingsOf, withLedger, withLedgerIfAny } from '../command.ts';
import { wholeNumber } from '../option-values.ts';
import { folderNamed, readInput, SAMPLE_ARGUMENT, splitName } from './texts.ts';

export const preview: CliCommand = {
  name: 'preview',
  about: 'Show what a profile makes of a file: each cell of some rows, and what is sent; totals, and what is left out',
  takes: [
    ['<profile>', 'name of a profile, with @2 its version 2; or the file of its text, ending in .yaml'],
    SAMPLE_ARGUMENT,
  ],
  required: [['--folder <folder>', 'folder that the file would be dropped in']],
  options: [
    ['--rows <number>', 'rows to show; the extreme ones come first', '20'],
    ['--format <format>', 'csv prints the rows as CSV: line, column, cell, sent as, value'],
    JSON_OPTION,
  ],
  notes: ['Nothing is taken or sent, and nothing of the file is kept. Exit status 2 when the file does not fit.'],
  examples: [
    'profile preview dues.yaml june.csv --folder drop/dues',
    'profile preview dues june.csv --folder drop/dues --rows 5',
  ],
  async run(call) {
    const [named = '', path = ''] = call.arguments;
    const { format } = call.options;
    if (format !== undefined && format !== 'csv') throw usage('use --format', 'there is only csv');
    const most = wholeNumber('--rows', call.options['rows']);
    const settings = settingsOf(call);
    const folder = folderNamed(settings, String(call.options['folder']));
    const account = settings.accounts.get(folder.account)!;
    const profile = await readNamed(call, named, { operation: folder.operation, account });
    const rules = { ...rulesOfFolder(account, folder, systemClock.now()), profile };
    const bytes = await readInput(path);
    const found = await previewSample(bytes, profile, rules, most);
    const judged = await judge(call, bytes, rules, folder);
    print(call, { ...found, ...judged }, () => (format === 'csv' ? csvText(found).trimEnd() : textOf(found, judged)));
    return judged.verdict === 'accept' && judged.faults.length === 0 ? EXIT.ok : EXIT.invalid;
  },
};

const VERDICTS = { accept: 'taken', hold: 'held', reject: 'refused' } as const;

type Judged = { readonly verdict: keyof typeof VERDICTS; readonly faults: readonly string[] };

const MOST_FAULTS = 50;

/** Checks the sample as a drop would be checked. */
async function judge(
  call: Call,
  bytes: Buffer,
  rules: CheckRules & { readonly profile: Profile },
  folder: Folder,
): Promise<Judged> {
  const faults: Fault[] = [];
  const check = await checkContent(piecesOf(bytes), rules, (group) => {
    faults.push(...group.faults.slice(0, MOST_FAULTS - Math.min(faults.length, MOST_FAULTS)));
  });
  const read = { profile: rules.profile, check, rules, open: () => piecesOf(bytes) };
  const own = await withLedgerIfAny(call, (ledger) => faultsOfProfile(ledger?.pool, folder, read));
  const all = [...check.faults, ...own, ...faults].filter(({ code }) => ERRORS[code].effect !== 'warn');
  const verdict = check.verdict === 'accept' && own.length > 0 ? 'hold' : check.verdict;
  return { verdict, faults: all.slice(0, MOST_FAULTS).map(faultLine) };
}

function faultLine(fault: Fault): string {
  const { line, code, value } = fault;
  return `${line > 0 ? `line ${line}: ` : ''}${describeFault(fault)}${value ? ` [${value}]` : ''} (${code})`;
}

async function readNamed(call: Call, named: string, place: Parameters<typeof parseProfile>[1]): Promise<Profile> {
  const isFile = /\.ya?ml$/i.test(named);
  const { name, version } = splitName(named);
  const text = isFile
    ? (await readInput(named)).toString()
    : await withLedger(call, async (ledger) => pickVersion(await readProfile(ledger, name), version).text);
  const parsed = parseProfile(text, place);
  if ('profile' in parsed) return parsed.profile;
  throw new PipelineError('PROFILE_INVALID', 'preview with the profile', parsed.faults.map(faultText).join('; '));
}

function usage(action: string, reason: string): PipelineError {
  return new PipelineError('USAGE', action, reason);
}

function textOf(found: Preview, { verdict, faults }: Judged): string {
  const { rows, payments } = found;
  return [
    ...rows.map(rowText),
    `${groupedCount(payments.rows, 'payment')}, total ${sumOf(payments.cents)}`,
    `Left out: ${sayLeftOut(found).join('; ') || 'nothing'}`,
    ...(faults.length === 0 ? [] : [`${counted(faults.length, 'fault')}:`, ...faults.map((fault) => `  ${fault}`)]),
    `A drop of this file would be ${VERDICTS[verdict]}.`,
  ].join('\n');
}

function sumOf(cents: number): string {
  return groupDigits(formatCents(cents));
}

const ARROW = '->';

function rowText({ line, why, cells, constants, faults }: PreviewRow): string {
  const pairs = [
    ...cells.flatMap(({ title, cell, sent }) => sentPairs(title, cell, sent)),
    ...sentPairs('', '', constants).slice(constants.length === 0 ? 1 : 0),
  ];
  const [first, second] = [0, 1].map((at) => Math.min(LONGEST, Math.max(0, ...pairs.map((pair) => pair[at]!.length))));
  return [
    `Line ${line}${why.length > 0 ? ` (${why.join(', ')})` : ''}`,
    ...pairs.map(([title, cell, sent]) => `  ${title.padEnd(first!)}  ${cell.padEnd(second!)}  ${ARROW} ${sent}`),
    ...faults.map((fault) => `  ! ${fault}`),
    '',
  ].join('\n');
}

const LONGEST = 30;

function sentPairs(title: string, cell: string, sent: PreviewRow['constants']): [string, string, string][] {
  if (sent.length === 0) return [[title, cell, 'not sent']];
  return sent.map((one, index) => [index === 0 ? title : '', index === 0 ? cell : '', `${one.title}: ${one.value}`]);
}

/** One line for each cell that is sent, and for each that is not. */
function csvText({ rows }: Preview): string {
  const lineOf = csvLines({ guard: true });
  const cells = rows.flatMap(({ line, cells: shown, constants }) => [
    ...shown.flatMap(({ title, cell, sent }) =>
      (sent.length === 0 ? [{ title: '', value: '' }] : sent).map((one) => [
        String(line),
        title,
        cell,
        one.title,
        one.value,
      ]),
    ),
    ...constants.map((one) => [String(line), '', '', one.title, one.value]),
  ]);
  return [['Line', 'Column', 'Cell', 'Sent as', 'Value'], ...cells].map((row) => lineOf(row)).join('');
}
