import type { App } from '../../src/app.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import type { LaterResult } from '../../src/ledger/batch/receive-result.ts';
import { readSealedPart, type SealedPart } from '../../src/ledger/batch/read-sealed-part.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openBytes, sealBytes } from '../../src/crypto/seal.ts';
import { openFileKey } from '../open-original.ts';

/** Returns what the seal of a result is bound to. A seal moved to another batch does not open. */
function purposeOf(batchNo: number, part: SealedPart): string {
  return `${part}:${batchNo}`;
}

/** Seals a result file as received, with the key of its payment file. */
export function sealResult(
  app: Pick<App, 'keys'>,
  file: FileRow,
  batchNo: number,
  bytes: Buffer,
  part: SealedPart = 'result',
): LaterResult {
  const sealed = sealBytes(openFileKey(app, file), purposeOf(batchNo, part), bytes);
  return { sealed, sha256: sha256Of(bytes) };
}

/**
 * Opens the result of a batch as received.
 * @throws PipelineError NOT_FOUND when it has none, SEAL_BROKEN when it was changed or cannot be opened
 */
export async function openResult(app: Pick<App, 'ledger' | 'keys'>, file: FileRow, batchNo: number): Promise<Buffer> {
  // The key comes first: a file destroyed on purpose has no result either, and NOT_FOUND would claim that none arrived.
  const key = openFileKey(app, file);
  const sealed = await readSealedPart(app.ledger, { fileId: file.file_id, batchNo }, 'result');
  return openBytes(key, purposeOf(batchNo, 'result'), sealed);
}
