import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { describeFault } from '../../kernel/errors.ts';
import { isMessageName } from '../../files/message-name.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { previewVerdict } from '../../explain/validate/preview-verdict.ts';
import { unreadCheck } from '../../explain/validate/unread-check.ts';
import { findDuplicate } from '../../../workers/intake/find-duplicate.ts';
import { TELLING_BYTES } from './file-kind.ts';
import type { Looked } from './to-verdict.ts';

/** Most faults that a page shows; a file may have a million. */
export const MOST_FAULTS = 200;

/** Reads a file to its end and previews the decision on it. Nothing is kept. */
export async function checkUpload(
  app: App,
  folder: Folder,
  { name, source }: { name: string; source: AsyncIterable<Uint8Array> },
): Promise<Looked> {
  if (isMessageName(name)) return checkMessageUpload(app, folder, source);
  const { pieces, head } = watchHead(source);
  const preview = await previewVerdict(app, folder, { name, source: pieces, mostFaults: MOST_FAULTS });
  return { ...preview, head: head() };
}

/**
 * Checks the outside of an encrypted file only. Its rows can be trusted only after two reads, and a request's bytes
 * come once; the intake checks the rest.
 */
async function checkMessageUpload(app: App, folder: Folder, source: AsyncIterable<Uint8Array>): Promise<Looked> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of source) {
    hash.update(piece);
    bytes += piece.length;
  }
  const { account } = folder;
  const file = { bytes, sha256: hash.digest('hex') };
  const duplicate = await transact(app.ledger, (tx) => findDuplicate(tx, { file_id: '', account, ...file }));
  const refusal = duplicate ?? (app.account(account).openpgp ? undefined : ({ code: 'PGP_NO_KEY' } as const));
  const head = new Uint8Array();
  if (!refusal) return { ...file, decision: 'later', head };
  const { check } = unreadCheck(refusal, file);
  const duplicateOf = duplicate?.duplicateOf;
  const decision = { verdict: 'reject', code: refusal.code, reason: describeFault(refusal) } as const;
  return {
    check,
    decision: { ...decision, ...(duplicateOf && { duplicateOf }) },
    faults: check.faults,
    faultCount: 1,
    head,
  };
}

/** Keeps the first bytes of a stream as it passes. */
function watchHead(source: AsyncIterable<Uint8Array>) {
  let head = Buffer.alloc(0);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      if (head.length < TELLING_BYTES) head = Buffer.concat([head, piece.subarray(0, TELLING_BYTES)]);
      yield piece;
    }
  }
  return { pieces: pieces(), head: () => head };
}
