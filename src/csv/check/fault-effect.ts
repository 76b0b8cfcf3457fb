import type { FolderConfig } from '../../../schemas/config.ts';
import { ERRORS, type FaultCode } from '../../../schemas/errors.ts';

export type FaultEffect = 'row' | 'reject' | 'hold' | 'warn';

/** The folder settings that change the effects of faults. */
export type EffectRules = Pick<FolderConfig, 'duplicateRows' | 'sameTotals' | 'chargedBefore'>;

/** Returns the effect of a fault. The table decides, except for duplicates, where the folder does. */
export function effectOf(code: FaultCode, folder: EffectRules): FaultEffect {
  if (code === 'DUPLICATE_ROW') return folder.duplicateRows;
  // Alike is less certain than equal, so this rejects nothing.
  if (code === 'LIKE_ROW') return folder.duplicateRows === 'warn' ? 'warn' : 'hold';
  if (code === 'SAME_TOTALS') return holdsOrWarns(folder.sameTotals);
  if (code === 'CHARGED_BEFORE' || code === 'LIKE_CHARGED') return holdsOrWarns(folder.chargedBefore);
  return ERRORS[code].effect;
}

/** A fault that was found before the folder turned its check off is still reported. */
function holdsOrWarns(setting: 'hold' | 'warn' | 'off'): FaultEffect {
  return setting === 'hold' ? 'hold' : 'warn';
}
