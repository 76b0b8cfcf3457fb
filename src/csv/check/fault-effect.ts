import { ERRORS, type FaultCode, MISFIT_CODES } from '../../../schemas/errors.ts';
import type { EffectRules, Fault } from '../../rows/rows.ts';

export type FaultEffect = 'row' | 'reject' | 'hold' | 'warn';

/** Returns the rules alone of settings that have more. */
export function effectRules(
  { duplicateRows, sameTotals, chargedBefore }: EffectRules,
  misfits: EffectRules['misfits'],
): EffectRules {
  return { duplicateRows, sameTotals, chargedBefore, ...(misfits && { misfits }) };
}

/**
 * Returns the effect of a fault. The table decides, except for duplicates, where the folder does.
 * @param folder null where no rules were applied, as for a file that was not read
 */
export function effectOf(code: FaultCode, folder: EffectRules | null): FaultEffect {
  if (folder === null) return ERRORS[code].effect;
  if (code === 'DUPLICATE_ROW') return folder.duplicateRows;
  // Alike is less certain than equal, so this rejects nothing.
  if (code === 'LIKE_ROW') return folder.duplicateRows === 'warn' ? 'warn' : 'hold';
  if (code === 'SAME_TOTALS') return holdsOrWarns(folder.sameTotals);
  if (code === 'CHARGED_BEFORE' || code === 'LIKE_CHARGED') return holdsOrWarns(folder.chargedBefore);
  if (folder.misfits === 'refuse' && MISFITS.has(code)) return 'reject';
  return ERRORS[code].effect;
}

const MISFITS: ReadonlySet<FaultCode> = new Set(MISFIT_CODES);

/** A fault that was found before the folder turned its check off is still reported. */
function holdsOrWarns(setting: 'hold' | 'warn' | 'off'): FaultEffect {
  return setting === 'hold' ? 'hold' : 'warn';
}

const MOST_LISTED = 1_000;

/**
 * Counts faults by code. A file that is not a payment file can have ten million broken lines, so only the first
 * thousand are listed. The file is rejected anyway.
 */
export function faultTally(folder: EffectRules) {
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
