import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newFileId } from '../../../src/kernel/ids.ts';
import { type Recalled, recallForgotten } from '../../../src/ledger/doubt/recall-batch.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import type { JournalEntry } from '../../../src/ledger/admission/send-journal.ts';
import { START } from '../../support/ledger-world.ts';

/** Compares the ledger with a journal of these entries. By default an entry's file is unknown to the ledger. */
export async function forget(ledger: Ledger, ...entries: Partial<JournalEntry>[]): Promise<Recalled[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-forgotten-'));
  try {
    const path = join(folder, 'sends.jsonl');
    for (const entry of entries) await appendFile(path, `\n${JSON.stringify(journalEntry(entry))}`);
    return await recallForgotten(ledger, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function journalEntry(entry: Partial<JournalEntry>): JournalEntry {
  return {
    at: START,
    account: 'main',
    fileId: newFileId(),
    batchNo: 1,
    attempt: 1,
    sha256: randomBytes(32).toString('hex'),
    ...entry,
  };
}
