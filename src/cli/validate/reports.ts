import { type EffectRules, effectOf } from '../../csv/check/fault-effect.ts';
import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import type { Fault } from '../../rows/rows.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import { LEDGER_CODES } from '../../../schemas/errors.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { faultCells, saidEffect, STATUS_OF_VERDICT } from '../../reconcile/outputs/acknowledgement.ts';

/** Takes faults one by one: a file may have a million, too many to keep. */
export type Report = { fault(fault: Fault): void; end(name: string, check: FileCheck, decision: FileDecision): void };

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
      for (const fault of shown) console.log(describeFault(fault, decision, effects));
      if (count > most) console.log(`… and ${count - most} more; --max-faults or --json shows them`);
      console.log(describeVerdict(name, check, decision));
      console.log(NOT_CHECKED);
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
