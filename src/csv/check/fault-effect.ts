import type { FolderConfig } from '../../../schemas/config.ts';
import { ERRORS, type FaultCode } from '../../../schemas/errors.ts';

export type FaultEffect = 'row' | 'reject' | 'hold' | 'warn';

/** What a folder decides of the effects of faults. */
export type EffectRules = Pick<FolderConfig, 'duplicateRows' | 'sameTotals' | 'chargedBefore'>;

/** What follows from a fault: the table says it, except for kinds of duplicates, where the folder does. */
export function effectOf(code: FaultCode, folder: EffectRules): FaultEffect {
  if (code === 'DUPLICATE_ROW') return folder.duplicateRows;
  // That two rows are alike is less certain than that they are the same, so it refuses nothing.
  if (code === 'LIKE_ROW') return folder.duplicateRows === 'warn' ? 'warn' : 'hold';
  if (code === 'SAME_TOTALS') return holdsOrWarns(folder.sameTotals);
  if (code === 'CHARGED_BEFORE' || code === 'LIKE_CHARGED') return holdsOrWarns(folder.chargedBefore);
  return ERRORS[code].effect;
}

/** A fault that was found before the folder stopped looking for it is still worth saying. */
function holdsOrWarns(setting: 'hold' | 'warn' | 'off'): FaultEffect {
  return setting === 'hold' ? 'hold' : 'warn';
}
