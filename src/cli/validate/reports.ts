import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import type { Fault } from '../../rows/rows.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import type { FolderConfig } from '../../../schemas/config.ts';
import { LEDGER_CODES } from '../../../schemas/errors.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { faultCells } from '../../reconcile/outputs/acknowledgement.ts';

/** Prints incrementally: a file may have a million faults, too many to keep. */
export type Report = { fault(fault: Fault): void; end(name: string, check: FileCheck, decision: FileDecision): void };

/**
 * Prints one line for each fault up to `most`, then the verdict.
 * @param duplicateRows what the folder does with a payment that appears twice in the file
 */
export function textReport(most: number, duplicateRows: FolderConfig['duplicateRows']): Report {
  let count = 0;
  return {
    fault: (fault) => {
      count += 1;
      if (count <= most) console.log(describeFault(fault, duplicateRows));
    },
    end: (name, check, decision) => {
      if (count > most) console.log(`… and ${count - most} more; --max-faults or --json shows them`);
      console.log(describeVerdict(name, check, decision));
      console.log(NOT_CHECKED);
    },
  };
}

function describeFault(fault: Fault, duplicateRows: FolderConfig['duplicateRows']): string {
  const decided = fault.code === 'DUPLICATE_ROW' ? duplicateRows : undefined;
  const [line, column, code, effect, reason, value, mend] = faultCells(fault, decided);
  const place = [line && `line ${line}`, column].filter(Boolean).join(', ');
  return `${place ? `${place}: ` : ''}${code} (${effect}): ${reason}${value ? ` [${value}]` : ''}. ${mend}`;
}

function describeVerdict(name: string, check: FileCheck, decision: FileDecision): string {
  const verdict = { accept: 'ACCEPTED', hold: 'HELD', reject: 'REJECTED' }[decision.verdict];
  const why = decision.verdict === 'accept' ? '' : ` (${decision.code}: ${decision.reason})`;
  const total = formatCents(check.valid.cents);
  const figures = `${counted(check.records, 'row')}, ${check.valid.rows} valid with a total of ${total}, ${check.invalid.rows} withheld`;
  return `${name}: ${verdict}${why}. ${figures}.`;
}

/** Readers of "accepted" must know what was not checked. */
const NOT_CHECKED = `Not compared with other files; only a drop can find ${LEDGER_CODES.join(', ')}.`;

/**
 * Writes one JSON object incrementally: `{ faults, file, decision, check, notChecked }`. `notChecked` has the codes
 * that only the ledger can find.
 */
export function jsonReport(): Report {
  let count = 0;
  process.stdout.write('{"faults":[');
  return {
    fault: (fault) => {
      process.stdout.write(`${count === 0 ? '' : ','}\n${JSON.stringify(fault)}`);
      count += 1;
    },
    end: (name, check, decision) => {
      const { faults: _said, ...figures } = check;
      const members = { file: name, decision, check: figures, notChecked: LEDGER_CODES };
      process.stdout.write(`],\n${JSON.stringify(members).slice(1)}\n`);
    },
  };
}
