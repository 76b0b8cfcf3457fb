import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openSendJournal } from '../../src/ledger/admission/send-journal.ts';

/**
 * Killing a process cannot show that a line was not synced: what it handed to the system stays in the system's memory.
 * Only a power cut could, so the test counts the calls.
 */
afterEach(() => vi.restoreAllMocks());

it('every entry of the send journal is on the disk before its append is over', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-journal-'));
  const calls: string[] = [];
  const probe = await open(folder, 'r');
  const handles = Object.getPrototypeOf(probe) as {
    datasync(): Promise<void>;
    appendFile(text: string): Promise<void>;
  };
  await probe.close();
  vi.spyOn(handles, 'appendFile').mockImplementation(async () => void calls.push('append'));
  vi.spyOn(handles, 'datasync').mockImplementation(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    calls.push('synced');
  });
  const journal = await openSendJournal(join(folder, 'journal', 'sends.jsonl'));
  const entry = { at: '2026-06-15T10:00:00.000Z', account: 'main', fileId: 'f', batchNo: 1, attempt: 1, sha256: 'ab' };
  for (const attempt of [1, 2]) {
    await journal.append({ ...entry, attempt });
    calls.push('appended');
  }
  expect(calls).toEqual(['append', 'synced', 'appended', 'append', 'synced', 'appended']);
  await journal.close();
  await rm(folder, { recursive: true });
});
