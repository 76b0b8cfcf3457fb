import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findJournalTrouble } from '../../../src/ledger/admission/find-journal-trouble.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-journal-'));
});
afterEach(() => rm(root, { recursive: true }));

describe('findJournalTrouble', () => {
  it('finds none in a journal that can be written, and writes nothing', async () => {
    const path = join(root, 'sends.jsonl');
    await writeFile(path, '');
    expect(await findJournalTrouble(path)).toBeUndefined();
  });

  it('says that it is missing, without its path', async () => {
    expect(await findJournalTrouble(join(root, 'sends.jsonl'))).toBe('it is missing');
  });

  it('says that something else stands in its place', async () => {
    const path = join(root, 'sends.jsonl');
    await mkdir(path);
    expect(await findJournalTrouble(path)).toContain('no file stands in its place');
  });

  it('names the code of any other trouble', async () => {
    await writeFile(join(root, 'file'), '');
    expect(await findJournalTrouble(join(root, 'file', 'sends.jsonl'))).toBe('it cannot be written (ENOTDIR)');
  });
});
