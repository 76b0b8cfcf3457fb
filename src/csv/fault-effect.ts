import type { FolderConfig } from '../../schemas/config.ts';
import { ERRORS, type FaultCode } from '../../schemas/errors.ts';

export type FaultEffect = 'row' | 'reject' | 'hold' | 'warn';

/** What follows from a fault: the table says it, except for duplicate rows, where the folder does (F29). */
export function effectOf(code: FaultCode, folder: Pick<FolderConfig, 'duplicateRows'>): FaultEffect {
  return code === 'DUPLICATE_ROW' ? folder.duplicateRows : ERRORS[code].effect;
}
