import { mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { openDraft, type OutputDraft } from '../../../src/files/outputs/output-draft.ts';
import { publishDrafts, publishFile, setOutputAside } from '../../../src/files/outputs/publish-drafts.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { outputName } from '../../../src/files/outputs/output-name.ts';

async function draftsOf(dir: string, texts: Record<string, string>): Promise<OutputDraft[]> {
  const drafts: OutputDraft[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const draft = await openDraft(dir, name);
    await draft.append(Buffer.from(text));
    drafts.push(draft);
  }
  return drafts;
}

async function discard(drafts: readonly OutputDraft[]): Promise<void> {
  for (const draft of drafts) await draft.discard();
}

describe('publishDrafts', () => {
  it('gives all of them their names, in their order, and tells what is on the disk', async () => {
    const dir = await freshFolder();
    const drafts = await draftsOf(dir, { 'b.csv': 'two\n', 'a.csv': 'one\n', 'empty.csv': '' });
    const written = await publishDrafts(dir, drafts);
    await discard(drafts);
    expect(written.map(({ name, bytes, sha256 }) => [name, bytes, sha256])).toEqual([
      ['b.csv', 4, sha256Of(Buffer.from('two\n'))],
      ['a.csv', 4, sha256Of(Buffer.from('one\n'))],
      ['empty.csv', 0, sha256Of(Buffer.alloc(0))],
    ]);
    expect((await readdir(dir)).toSorted()).toEqual(['a.csv', 'b.csv', 'empty.csv']);
    for (const { path, sha256 } of written) expect(sha256Of(await readFile(path))).toBe(sha256);
  });

  it('publishes nothing while one of them is not what it should be', async () => {
    const dir = await freshFolder();
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n', 'b.csv': 'two\n' });
    await writeFile(drafts[1]!.temporary, 'twe\n');
    await expect(publishDrafts(dir, drafts)).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
    await discard(drafts);
    expect(await readdir(dir)).toEqual([]);
  });

  it('lets the same bytes lie that lie there, and replaces nothing else', async () => {
    const dir = await freshFolder();
    await writeFile(join(dir, 'a.csv'), 'one\n');
    await writeFile(join(dir, 'b.csv'), 'of somebody else');
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n', 'b.csv': 'two\n' });
    await expect(publishDrafts(dir, drafts)).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    await discard(drafts);
    expect(await readFile(join(dir, 'b.csv'), 'utf8')).toBe('of somebody else');
    expect((await readdir(dir)).toSorted()).toEqual(['a.csv', 'b.csv']);
  });

  it('asks for room where something else has the name, and for none where it is the same', async () => {
    const dir = await freshFolder();
    await writeFile(join(dir, 'a.csv'), 'one\n');
    await writeFile(join(dir, 'b.csv'), 'of somebody else');
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n', 'b.csv': 'two\n' });
    const asked: string[] = [];
    const makeRoom = async (name: string) => {
      asked.push(name);
      await rename(join(dir, name), join(dir, `${name}.aside`));
    };
    await publishDrafts(dir, drafts, { makeRoom });
    await discard(drafts);
    expect(asked).toEqual(['b.csv']);
    expect(await readFile(join(dir, 'b.csv'), 'utf8')).toBe('two\n');
    expect(await readFile(join(dir, 'b.csv.aside'), 'utf8')).toBe('of somebody else');
  });

  it('leaves what may not give way, and passes on why', async () => {
    const dir = await freshFolder();
    await writeFile(join(dir, 'a.csv'), 'of somebody else');
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n' });
    const makeRoom = async (_name: string, error: Error) => Promise.reject(error);
    await expect(publishDrafts(dir, drafts, { makeRoom })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    await discard(drafts);
    expect(await readFile(join(dir, 'a.csv'), 'utf8')).toBe('of somebody else');
  });

  it('looks once more at what somebody wrote into on the way to its name', async () => {
    const dir = await freshFolder();
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n' });
    const spoil = async (_name: string, bytes: AsyncIterable<Buffer>) => {
      for await (const _piece of bytes);
      await writeFile(drafts[0]!.temporary, 'other\n');
    };
    await expect(publishDrafts(dir, drafts, { readBack: spoil })).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
    await discard(drafts);
  });

  it('is content when its bytes were only touched', async () => {
    const dir = await freshFolder();
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n' });
    const touch = async (_name: string, bytes: AsyncIterable<Buffer>) => {
      for await (const _piece of bytes);
      await utimes(drafts[0]!.temporary, 1, 1);
    };
    expect(await publishDrafts(dir, drafts, { readBack: touch })).toMatchObject([{ name: 'a.csv', bytes: 4 }]);
    await discard(drafts);
  });

  it('gives no name to what its reader refuses', async () => {
    const dir = await freshFolder();
    const drafts = await draftsOf(dir, { 'a.csv': 'one\n' });
    const refuse = async () => Promise.reject(new Error('not what was asked for'));
    await expect(publishDrafts(dir, drafts, { readBack: refuse })).rejects.toThrow('not what was asked for');
    await discard(drafts);
    expect(await readdir(dir)).toEqual([]);
  });

  it('shows the bytes of each as they are read back', async () => {
    const dir = await freshFolder();
    const drafts = await draftsOf(dir, { 'a.csv': 'x'.repeat(200_000), 'b.csv': 'two\n' });
    const seen: Record<string, string> = {};
    await publishDrafts(dir, drafts, {
      readBack: async (name, bytes) => {
        seen[name] = '';
        for await (const piece of bytes) seen[name] += piece.toString();
      },
    });
    await discard(drafts);
    expect(seen).toEqual({ 'a.csv': 'x'.repeat(200_000), 'b.csv': 'two\n' });
  });

  it('does nothing without drafts', async () => {
    expect(await publishDrafts(await freshFolder(), [])).toEqual([]);
  });
});

it('publishFile gives a free name, refuses a taken one and never replaces what has it', async () => {
  const dir = await freshFolder();
  const [one, two, name] = ['.one.tmp', '.two.tmp', 'a.csv'].map((file) => join(dir, file)) as [string, string, string];
  await writeFile(one, 'one');
  await writeFile(two, 'two');
  expect(await publishFile(one, name)).toBe(true);
  expect(await publishFile(two, name)).toBe(false);
  expect(await readFile(name, 'utf8')).toBe('one');
  await rm(one, { force: true });
  expect((await readdir(dir)).toSorted()).toEqual(['.two.tmp', 'a.csv']);
  await expect(publishFile(one, join(dir, 'b.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('setOutputAside', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'paydrop-aside-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('keeps the file under a name that is no output, however often', async () => {
    const names: string[] = [];
    for (const text of ['one', 'two']) {
      await writeFile(join(dir, 'a.result.csv'), text);
      names.push(await setOutputAside(dir, 'a.result.csv'));
    }
    expect((await readdir(dir)).toSorted()).toEqual(names.toSorted());
    expect(names[0]).toMatch(/^a\.result\.csv\.[0-9a-f]{8}\.forgotten$/);
    expect(await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))).toEqual(['one', 'two']);
  });

  it('says so when there is nothing of that name', async () => {
    await expect(setOutputAside(dir, 'b.csv')).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });
});

const FILE_ID = '1a2b3c4d5e6f7g8h';

describe('outputName', () => {
  it.each([
    ['monday.csv', 'monday__1a2b3c4d.result.csv'],
    ['Monday.CSV', 'Monday__1a2b3c4d.result.csv'],
    ['monday', 'monday__1a2b3c4d.result.csv'],
    ['monday.csv.pgp', 'monday__1a2b3c4d.result.csv'],
    ['monday.txt', 'monday.txt__1a2b3c4d.result.csv'],
    ['june.csv.csv', 'june.csv__1a2b3c4d.result.csv'],
    ['Zahlungen März.csv', 'Zahlungen März__1a2b3c4d.result.csv'],
    ['two\nlines.csv', 'two_lines__1a2b3c4d.result.csv'],
    ['..\\..\\evil.csv', '_.._.._evil__1a2b3c4d.result.csv'],
    ['../evil.csv', '_.._evil__1a2b3c4d.result.csv'],
    ['-rf.csv', '_-rf__1a2b3c4d.result.csv'],
    [' monday.csv', '_monday__1a2b3c4d.result.csv'],
    ['what?.csv', 'what___1a2b3c4d.result.csv'],
    ['half\ud83d.csv', 'half___1a2b3c4d.result.csv'],
    ['.csv', 'file__1a2b3c4d.result.csv'],
    ['', 'file__1a2b3c4d.result.csv'],
    [`${'x'.repeat(200)}.csv`, `${'x'.repeat(150)}__1a2b3c4d.result.csv`],
    [`${'x'.repeat(149)}ä.csv`, `${'x'.repeat(149)}__1a2b3c4d.result.csv`],
    ['💶'.repeat(60), `${'💶'.repeat(37)}__1a2b3c4d.result.csv`],
  ])('makes of %j the name %j', (original, name) => {
    expect(outputName(original, FILE_ID, 'result')).toBe(name);
  });

  it('takes the kind and the ending that it is given', () => {
    expect(outputName('monday.csv', FILE_ID, 'result.c01')).toBe('monday__1a2b3c4d.result.c01.csv');
    expect(outputName('monday.csv', FILE_ID, 'summary', 'json')).toBe('monday__1a2b3c4d.summary.json');
    expect(outputName('monday.csv', FILE_ID, 'summary', 'txt')).toBe('monday__1a2b3c4d.summary.txt');
  });

  it('is a plain, visible, short enough file name for any sender', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0x10ffff), { maxLength: 300 }).map((points) => String.fromCodePoint(...points)),
        (original) => {
          const name = outputName(original, FILE_ID, 'result.c01');
          expect(name).toMatch(/^[^.\-/\\\p{Cc}][^/\\\p{Cc}]*__1a2b3c4d\.result\.c01\.csv$/u);
          expect(Buffer.byteLength(name)).toBeLessThan(200);
          expect(Buffer.from(name).toString()).toBe(name);
        },
      ),
    );
  });
});
