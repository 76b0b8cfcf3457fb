import type { FaultCode } from '../../schemas/errors.ts';
import { byNumber, counted } from '../../src/kernel/counted.ts';
import { findSameContent, type SameContent } from '../../src/ledger/duplicates/find-duplicate.ts';
import { answerBy, type Question } from '../../src/ledger/engine/ask.ts';

/** Why a file is refused without reading its rows. */
export type Refusal = { code: FaultCode; detail?: string; duplicateOf?: string };

/**
 * Refuses of files, one or many, the bytes that their account has taken before.
 * @param files with the SHA-256 of the content of an encrypted one as `inside`
 * @returns why, for each file; undefined when its bytes are new
 */
export function findDuplicates(files: Parameters<typeof findSameContent>[0]): Question<(Refusal | undefined)[]> {
  return answerBy(findSameContent(files), (found) =>
    found.map((earlier) => {
      if (!earlier) return undefined;
      const detail = `they were in "${earlier.name}" (file ${earlier.file_id}), ${fateOf(earlier)}`;
      return { code: 'DUPLICATE_FILE', detail, duplicateOf: earlier.file_id };
    }),
  );
}

/** Describes the outcome of the first file. */
function fateOf({ state, mayBeCharged, invalid_rows: withheld }: SameContent): string {
  if (state === 'held') return 'which waits for approval; nothing in it was sent';
  if (!mayBeCharged) return 'of which nothing was charged';
  if (state === 'completed')
    return withheld ? `which is completed; ${sayRows(withheld)} not paid` : 'which is completed';
  return state === 'partly_cancelled' ? 'which was sent in part' : 'which is in progress';
}

function sayRows(withheld: number): string {
  return `${counted(withheld, 'row')} of it ${byNumber(withheld, 'was', 'were')} withheld and`;
}
