import { LEDGER_CODES } from '../../../schemas/errors.ts';
import type { Report } from './report.ts';

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
