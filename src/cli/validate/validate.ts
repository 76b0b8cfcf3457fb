import { existsSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { EXIT, LEDGER_CODES } from '../../../schemas/errors.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import { parseProfile, profileHash } from '../../csv/profile/profile-text.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import { findWriterFaults } from '../../../workers/file-profile.ts';
import { decideIntake } from '../../../workers/intake/decide-intake.ts';
import { effectOf, effectRules } from '../../csv/check/fault-effect.ts';
import type { CheckedGroup, CheckRules, FileCheck } from '../../csv/check/check-payment-file.ts';
import { readSidecar } from '../../files/sidecar.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { sha256OfFile } from '../../kernel/hash.ts';
import { maskName, maskText } from '../../kernel/mask.ts';
import { isMessageName } from '../../files/file-names.ts';
import type { EffectRules, Fault } from '../../rows/rows.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import type { MessageFault } from '../../pgp/check-message.ts';
import { type Call, type CliCommand, JSON_OPTION, withLedgerIfAny } from '../command.ts';
import { progressLine, type ProgressLine } from '../print/progress.ts';
import { chooseRules, type ChosenRules, openDrop, type OpenedDrop } from './choose-rules.ts';
import { readInput } from '../profile/texts.ts';
import { faultText } from '../../actions/profile/read-text.ts';
import { wholeNumber } from '../option-values.ts';
import { counted } from '../../kernel/counted.ts';
import { checkContent, unreadCheck } from '../../explain/validate/check-content.ts';
import { formatCents } from '../../kernel/money.ts';
import { faultCells, saidEffect, STATUS_OF_VERDICT } from '../../reconcile/outputs/acknowledgement.ts';
import { putOut, sayOut } from '../print/say.ts';

export const validate: CliCommand = {
  name: 'validate',
  about: 'Check a file by the rules of a drop, without taking or sending it',
  takes: [['<file>', 'a payment file; a control file with the same name and .ctl is also read']],
  required: [['--operation <operation>', `what the file is: ${Object.keys(FOLDER_OPERATIONS).join(', ')}`]],
  options: [
    JSON_OPTION,
    ['--account <name>', 'account of the configuration; left out, the account whose folder takes this operation'],
    ['--profile <file>', 'text of the import profile that reads the file, as "profile export" writes it'],
    ['--max-faults <number>', 'most faults to print; JSON has all', '100'],
  ],
  examples: [
    'validate monday.csv --operation card',
    'validate monday.csv --operation ach-charge --account main --json',
  ],
  async run(call) {
    const {
      arguments: [path = ''],
      options,
      dir,
    } = call;
    const account = options['account'] as string | undefined;
    const rules = chooseRules(
      String(options['operation']),
      account,
      dir,
      await readProfile(options['profile'] as string | undefined),
    );
    const most = wholeNumber('--max-faults', options['maxFaults']);
    const file = await openPlainFile(path);
    const progress = progressLine();
    const report = options['json'] ? jsonReport() : textReport(most, effectsOf(rules));
    const name = maskName(basename(path));
    const opened = await openDrop(path, rules);
    const said =
      'code' in opened
        ? await refuseUnread(file, path, opened)
        : await judge(call, await checkFile(file, rules, { report, progress, ...opened }), { rules, ...opened });
    for (const fault of said.faults) report.fault(fault);
    report.end(name, said.check, said.decision);
    return statusOf(said.check, said.decision);
  },
};

/** @throws PipelineError USAGE; PROFILE_INVALID with the faults of its text */
async function readProfile(path: string | undefined): Promise<Profile | undefined> {
  if (path === undefined) return undefined;
  const parsed = parseProfile((await readInput(path)).toString());
  if ('profile' in parsed) return parsed.profile;
  throw new PipelineError('PROFILE_INVALID', 'read the profile', parsed.faults.map(faultText).join('; '));
}

/** The full result for a file, apart from the faults of its rows. */
type FileVerdict = { check: FileCheck; decision: FileDecision; faults: readonly Fault[] };

async function judge(
  call: Call,
  check: FileCheck,
  { rules, contentOf }: { rules: ChosenRules } & OpenedDrop,
): Promise<FileVerdict> {
  const [path = ''] = call.arguments;
  const control = existsSync(`${path}.ctl`) ? await readSidecar(`${path}.ctl`) : null;
  const { decision, faults } = decideIntake(check, {
    ...rules,
    effects: effectsOf(rules),
    profileFaults: await writerFaults(call, check, { rules, contentOf }),
    control,
    // The sender's hash is of the dropped bytes, which may hold the rows encrypted.
    claimedSha256: isMessageName(path) ? await sha256OfFile(path) : check.sha256,
    changed: false,
    sameName: undefined,
    history: undefined,
  });
  return { check, decision, faults: [...check.faults, ...faults] };
}

/** Says of a file that paydrop wrote for another version of the profile what a drop would say, as far as it is known. */
async function writerFaults(
  call: Call,
  check: FileCheck,
  { rules, contentOf }: { rules: ChosenRules } & OpenedDrop,
): Promise<Fault[]> {
  const writtenBy = check.profile?.writtenBy;
  if (writtenBy === undefined || !rules.profile) return [];
  const reader = { name: rules.folder.profile ?? '', sha256: profileHash(rules.profile), profile: rules.profile };
  const read = { open: () => reopen(call.arguments[0]!, contentOf), context: rules, writtenBy };
  return withLedgerIfAny(call, (ledger) => findWriterFaults(ledger?.pool, { ...reader, says: 'this profile' }, read));
}

async function* reopen(path: string, contentOf: OpenedDrop['contentOf']): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    yield* contentOf(file);
  } finally {
    await file.close();
  }
}

function effectsOf({ folder, profile }: ChosenRules): EffectRules {
  return effectRules(folder, profile?.check.misfits);
}

async function refuseUnread(file: FileHandle, path: string, fault: MessageFault): Promise<FileVerdict> {
  await file.close();
  const { size } = await lstat(path);
  const unread = unreadCheck(fault, { bytes: size, sha256: await sha256OfFile(path) });
  return { ...unread, faults: unread.check.faults };
}

/**
 * Opens the file before anything is printed, so that an unreadable one leaves no partial report. The type is checked
 * first, because opening a pipe would wait for a writer.
 */
async function openPlainFile(path: string): Promise<FileHandle> {
  const action = `validate "${maskText(path)}"`;
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) throw new PipelineError('USAGE', action, 'there is no such file', { next: 'Check the path.' });
  if (!stats.isFile()) throw new PipelineError('USAGE', action, 'it is not a plain file', { next: 'Give the file.' });
  try {
    return await open(path);
  } catch (error) {
    const next = 'Ask for permission to read it.';
    throw new PipelineError('USAGE', action, `it cannot be opened (${systemCode(error)})`, { next });
  }
}

function statusOf(check: FileCheck, decision: FileDecision): number {
  if (decision.verdict === 'hold') return EXIT.held;
  return decision.verdict === 'reject' || check.invalid.rows > 0 ? EXIT.invalid : EXIT.ok;
}

/** Reads the whole file, reports the faults of rows as they are found, and closes it. */
export async function checkFile(
  file: FileHandle,
  rules: CheckRules,
  { report, progress, contentOf }: { report: Pick<Report, 'fault'>; progress: ProgressLine } & OpenedDrop,
): Promise<FileCheck> {
  const { size } = await file.stat();
  let bytes = 0;
  let rows = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const piece of contentOf(file)) {
      bytes += piece.length;
      yield piece;
    }
  }
  const takeGroup = ({ packed, withheld, faults }: CheckedGroup) => {
    progress.clear();
    for (const fault of faults) report.fault(fault);
    rows += packed.count + withheld.length;
    progress.show(`${counted(rows, 'row')}, ${Math.min(100, Math.floor((100 * bytes) / Math.max(size, 1)))} %`);
  };
  try {
    return await checkContent(watched(), rules, takeGroup, { contentBytes: size });
  } finally {
    progress.clear();
    await file.close();
  }
}

/** Takes faults one by one: a file may have a million, too many to keep. */
type Report = { fault(fault: Fault): void; end(name: string, check: FileCheck, decision: FileDecision): void };

/**
 * Prints one line for each fault up to `most`, then the verdict. The lines wait for the verdict, because what follows
 * from a fault depends on it; the notice of the file will have the same words.
 * @param effects what folder and profile make of some faults
 */
export function textReport(most: number, effects: EffectRules): Report {
  const shown: Fault[] = [];
  let count = 0;
  return {
    fault: (fault) => {
      count += 1;
      if (count <= most) shown.push(fault);
    },
    end: (name, check, decision) => {
      for (const fault of shown) sayOut(describeFault(fault, decision, effects));
      if (count > most) sayOut(`… and ${count - most} more; --max-faults or --json shows them`);
      sayOut(describeVerdict(name, check, decision));
      sayOut(NOT_CHECKED);
    },
  };
}

function describeFault(fault: Fault, decision: FileDecision, effects: EffectRules): string {
  const [line, column, code, , reason, value, remedy] = faultCells(fault);
  const notice = {
    status: STATUS_OF_VERDICT[decision.verdict],
    code: decision.verdict === 'accept' ? null : decision.code,
  };
  const place = [line && `line ${line}`, column].filter(Boolean).join(', ');
  const effect = saidEffect(notice, fault, effectOf(fault.code, effects));
  return `${place ? `${place}: ` : ''}${effect}: ${reason}${value ? ` [${value}]` : ''} (${code}). ${remedy}`;
}

function describeVerdict(name: string, check: FileCheck, decision: FileDecision): string {
  const why = decision.verdict === 'accept' ? '' : ` (${decision.code}): ${decision.reason}`;
  const total = formatCents(check.valid.cents);
  const figures = `${counted(check.records, 'row')}, ${check.valid.rows} valid with a total of ${total}, ${check.invalid.rows} withheld`;
  return `${name}: ${STATUS_OF_VERDICT[decision.verdict]}${why}. ${figures}.`;
}

/** Readers of "accepted" must know what was not checked. */
const NOT_CHECKED = `Not compared with other files; only a drop can find ${LEDGER_CODES.join(', ')}.`;

/**
 * Writes one JSON object incrementally: `{ faults, file, decision, check, notChecked }`. `notChecked` has the codes
 * that only the ledger can find.
 */
export function jsonReport(): Report {
  let count = 0;
  putOut('{"faults":[');
  return {
    fault: (fault) => {
      putOut(`${count === 0 ? '' : ','}\n${JSON.stringify(fault)}`);
      count += 1;
    },
    end: (name, check, decision) => {
      const { faults: _said, ...figures } = check;
      const members = { file: name, decision, check: figures, notChecked: LEDGER_CODES };
      putOut(`],\n${JSON.stringify(members).slice(1)}\n`);
    },
  };
}
