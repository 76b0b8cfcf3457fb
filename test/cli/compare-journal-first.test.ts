import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareJournalFirst } from '../../src/cli/compare-journal-first.ts';
import type { Settings } from '../../src/config/config.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../support/ledger-world.ts';
import { takeDown } from './support/take-down.ts';

let world: LedgerWorld;
let folder: string;
beforeAll(async () => {
  world = await openTestLedger();
  folder = await mkdtemp(join(tmpdir(), 'paydrop-compare-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

describe('compareJournalFirst', () => {
  it('does not report for a host that has never sent, which would be waited for', async () => {
    const fresh = await openTestLedger();
    await fresh.force('UPDATE admission SET is_open = false');
    const journal = join(folder, 'never-sent.jsonl');
    await writeFile(journal, '');
    const settings = { paths: { journal }, host: 'site' } as Settings;
    await expect(compareJournalFirst(fresh.ledger, settings)).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
    const { rows } = await fresh.ledger.pool.query(`SELECT FROM sender WHERE name = 'site'`);
    await fresh.close();
    expect(rows).toEqual([]);
  });

  it('writes down what was forgotten before a person decides, and says so once', async () => {
    const batch = await world.batchIn('ready');
    const { fileId, batchNo } = keyOf(batch);
    const entry = { at: START, account: batch.account, fileId, batchNo, attempt: 1, sha256: batch.body_sha256 };
    const journal = join(folder, 'sends.jsonl');
    await writeFile(journal, JSON.stringify(entry));
    const settings = { paths: { journal } } as Settings;
    const first = await takeDown(() => compareJournalFirst(world.ledger, settings));
    expect(first.err).toBe(
      `Account ${batch.account} was stopped: the send journal knows 1 call that the ledger does not, the first at ${START}. See "paydrop account list".\n`,
    );
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
    expect((await takeDown(() => compareJournalFirst(world.ledger, settings))).err).toBe('');
  });
});
