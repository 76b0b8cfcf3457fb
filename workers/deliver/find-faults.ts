import { ERRORS, type FaultCode } from '../../schemas/errors.ts';
import type { Fault } from '../../src/rows/rows.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { readFaults } from '../../src/ledger/file/read-file.ts';

/** Codes of faults that keep a row from being sent, without mere warnings. */
const TELLING = (Object.keys(ERRORS) as FaultCode[]).filter((code) => ERRORS[code].effect !== 'warn');

/**
 * Finds the faults of rows page by page. The ledger keeps them in line order, except those of the file and those found
 * later. So it reads on as pages come and drops faults already passed.
 * @returns a function that takes the lines of a page, in order and after those of earlier pages
 */
export function faultFinder(
  ledger: Ledger,
  fileNo: number,
): (lines: readonly number[]) => Promise<Map<number, Fault[]>> {
  const pages = readFaults(ledger, fileNo, { codes: TELLING });
  let ahead: readonly Fault[] = [];
  return async (lines) => {
    const [first = 0, last = 0] = [lines[0], lines.at(-1)];
    const found = new Map<number, Fault[]>();
    for (;;) {
      for (const fault of ahead) {
        if (fault.line >= first && fault.line <= last) found.set(fault.line, [...(found.get(fault.line) ?? []), fault]);
      }
      ahead = ahead.filter((fault) => fault.line > last);
      if (ahead.length > 0) return found;
      const next = await pages.next();
      if (next.done) return found;
      ahead = next.value;
    }
  };
}
