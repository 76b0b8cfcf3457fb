import { createReadStream, existsSync, lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FolderConfig } from '../../../schemas/config.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { findRestriction } from '../../../schemas/restrictions.ts';
import { decideIntake } from '../../../workers/decide-intake.ts';
import { checkPaymentFile, type CheckRules, type FileCheck } from '../../csv/check-payment-file.ts';
import { readSidecar } from '../../drop/sidecar.ts';
import { systemClock } from '../../kernel/clock.ts';
import { CONFIG_FILE, loadSettings } from '../../kernel/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault } from '../../kernel/rows.ts';
import { dayInZone } from '../../kernel/zone-time.ts';
import type { FileDecision } from '../../ledger/moves/decide-file.ts';
import { faultCells } from '../../reconcile/outputs/acknowledgement.ts';
import { type Call, type CliCommand, JSON_OPTION } from '../command.ts';
import { progressLine } from '../progress.ts';

export const validate: CliCommand = {
  name: 'validate <file>',
  about: 'Say what paydrop would say of a file, without taking or sending anything',
  options: [
    JSON_OPTION,
    ['--account <name>', 'account of the configuration; left out, a US account in dollars'],
    ['--max-faults <number>', 'faults to print for people; JSON has them all', '100'],
  ],
  required: [['--operation <operation>', `what the file is: ${Object.keys(FOLDER_OPERATIONS).join(', ')}`]],
  async run(call) {
    const path = call.arguments[0] ?? '';
    const bytes = sizeOf(path);
    const rules = rulesOf(call);
    const report = call.options['json'] ? jsonReport() : textReport(Number(call.options['maxFaults']));
    const check = await checkFile(path, bytes, rules, report.fault);
    const sidecar = existsSync(`${path}.ctl`) ? await readSidecar(`${path}.ctl`) : null;
    const { decision, faults } = decideIntake(check, {
      control: sidecar,
      claimedSha256: check.sha256,
      changed: false,
      sameName: undefined,
    });
    for (const fault of [...check.faults, ...faults]) report.fault(fault);
    report.end(basename(path), check, decision);
    return statusOf(check, decision);
  },
};

function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) throw new PipelineError('USAGE', `validate "${maskText(path)}"`, 'there is no such file');
  if (!stats.isFile()) throw new PipelineError('USAGE', `validate "${maskText(path)}"`, 'it is not a plain file');
  return stats.size;
}

/** The rules of the account's folder for this operation, where there is a configuration; else the defaults. */
function rulesOf(call: Call): CheckRules {
  const operation = String(call.options['operation']) as FolderOperation;
  if (!(operation in FOLDER_OPERATIONS)) {
    throw new PipelineError(
      'USAGE',
      `validate as "${operation}"`,
      `it is none of ${Object.keys(FOLDER_OPERATIONS).join(', ')}`,
    );
  }
  const name = call.options['account'] as string | undefined;
  const rules =
    name === undefined && !existsSync(join(call.dir, CONFIG_FILE))
      ? defaultRules(operation)
      : configuredRules(call, operation, name);
  const restriction = findRestriction({
    operation: FOLDER_OPERATIONS[operation].operation,
    server: rules.account.server,
  });
  if (restriction) throw new PipelineError('RESTRICTED', `validate as "${operation}"`, restriction.replace(/\.$/, ''));
  return rules;
}

function defaultRules(operation: FolderOperation): CheckRules {
  return {
    operation,
    account: { server: 'NA', country: 'US', currency: 'USD' },
    folder: FolderConfig.parse({ path: '-', account: '-', operation }),
    today: dayInZone(systemClock.now(), 'UTC'),
  };
}

function configuredRules(call: Call, operation: FolderOperation, name: string | undefined): CheckRules {
  const settings = loadSettings(call.dir, process.env);
  const folder = settings.folders.find(
    (row) => row.operation === operation && (name === undefined || row.account === name),
  );
  const account = settings.accounts.get(name ?? folder?.account ?? '');
  if (!account) {
    const reason = name === undefined ? `no folder takes ${operation}` : `there is no account "${name}"`;
    throw new PipelineError('USAGE', `validate as "${operation}"`, reason, {
      next: 'Give --account with a name of paydrop.yaml.',
    });
  }
  return {
    operation,
    account,
    folder: folder ?? FolderConfig.parse({ path: '-', account: account.name, operation }),
    today: dayInZone(systemClock.now(), account.timeZone),
  };
}

async function checkFile(
  path: string,
  bytes: number,
  rules: CheckRules,
  report: (fault: Fault) => void,
): Promise<FileCheck> {
  const progress = progressLine();
  const source = createReadStream(path, { highWaterMark: 65_536 });
  const check = checkPaymentFile(source, rules);
  let rows = 0;
  for (;;) {
    const step = await check.next();
    if (step.done) {
      progress.end();
      return step.value;
    }
    rows += step.value.length;
    for (const row of step.value) for (const fault of row.faults) report(fault);
    progress.show(`${rows} rows, ${Math.floor((100 * source.bytesRead) / Math.max(bytes, 1))} %`);
  }
}

type Report = { fault(fault: Fault): void; end(name: string, check: FileCheck, decision: FileDecision): void };

function textReport(maxFaults: number): Report {
  let count = 0;
  return {
    fault: (fault) => {
      count += 1;
      if (count > maxFaults) return;
      const [line, column, code, effect, reason, value, mend] = faultCells(fault);
      const place = [line && `line ${line}`, column].filter(Boolean).join(', ');
      console.log(`${place ? `${place}: ` : ''}${code} (${effect}): ${reason}${value ? ` [${value}]` : ''}. ${mend}`);
    },
    end: (name, check, decision) => {
      if (count > maxFaults) console.log(`… and ${count - maxFaults} more; --max-faults or --json shows them`);
      const verdict = { accept: 'ACCEPTED', hold: 'HELD', reject: 'REJECTED' }[decision.verdict];
      const why = decision.verdict === 'accept' ? '' : ` (${decision.code}: ${decision.reason})`;
      const figures = `${check.records} rows, ${check.valid.rows} valid with a total of ${formatCents(check.valid.cents)}, ${check.invalid.rows} withheld`;
      console.log(`${maskText(name)}: ${verdict}${why}. ${figures}.`);
    },
  };
}

/** One JSON object, written as it comes: a file may have a million faults. */
function jsonReport(): Report {
  let count = 0;
  process.stdout.write('{"faults":[');
  return {
    fault: (fault) => {
      process.stdout.write(`${count === 0 ? '' : ','}\n${JSON.stringify(fault)}`);
      count += 1;
    },
    end: (name, check, decision) => {
      const { faults: _said, ...figures } = check;
      process.stdout.write(
        `],\n"file":${JSON.stringify(maskText(name))},"decision":${JSON.stringify(decision)},"check":${JSON.stringify(figures)}}\n`,
      );
    },
  };
}

function statusOf(check: FileCheck, decision: FileDecision): number {
  if (decision.verdict === 'hold') return EXIT.held;
  return decision.verdict === 'reject' || check.invalid.rows > 0 ? EXIT.invalid : EXIT.ok;
}
