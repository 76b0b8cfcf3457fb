import type { FaultCode } from '../../../schemas/errors.ts';
import type { Fault } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import { effectOf } from './fault-effect.ts';

/** Most structural faults that are listed; further ones are only counted. */
const MOST_LISTED = 1_000;

/**
 * Counts faults by code. A file that is not a payment file can have ten million broken lines, so only the first
 * thousand are listed. The file is rejected anyway.
 */
export function faultTally(folder: CheckRules['folder']) {
  const counts: Partial<Record<FaultCode, number>> = {};
  const unlisted: Partial<Record<FaultCode, number>> = {};
  const effects = new Set<string>();
  let listed = 0;

  function count(fault: Fault): void {
    counts[fault.code] = (counts[fault.code] ?? 0) + 1;
    effects.add(effectOf(fault.code, folder));
  }

  /** Counts a fault that makes its row unusable, and returns whether to list it. */
  function countStructural(fault: Fault): boolean {
    count(fault);
    listed += 1;
    if (listed > MOST_LISTED) unlisted[fault.code] = (unlisted[fault.code] ?? 0) + 1;
    return listed <= MOST_LISTED;
  }

  /** Returns one fault per code that was not fully listed. They are already counted. */
  function summarise(): Fault[] {
    return (Object.keys(unlisted) as FaultCode[]).map((code) => {
      return { code, line: 0, detail: `${counts[code]} in all; ${unlisted[code]} of them are not listed` };
    });
  }

  return { count, countStructural, summarise, counts: () => counts, has: (effect: string) => effects.has(effect) };
}
