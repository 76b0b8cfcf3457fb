import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noBookFile, openBookFile } from '../../../src/sandbox/books/book-file.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();

describe('openBookFile', () => {
  it('gives back in order what was appended, for its owner only', async () => {
    const path = join(await world.folder(), 'books.jsonl');
    const { file, lines } = await open(path);
    expect(lines).toEqual([]);
    await file.append('{"a":1}');
    await file.append('zwölf'.repeat(50_000));
    await file.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await open(path, true)).lines).toEqual(['{"a":1}', 'zwölf'.repeat(50_000)]);
  });

  it.each(['{"torn', 'x'.repeat(200_000)])('cuts off a last line without its end', async (tail) => {
    const path = join(await world.folder(), 'books.jsonl');
    await writeFile(path, 'one\ntwo\n');
    await appendFile(path, tail);
    const { file, lines } = await open(path);
    await file.append('three');
    await file.close();
    expect(lines).toEqual(['one', 'two']);
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('reads lines that cross the pieces in which a file is read', async () => {
    const path = join(await world.folder(), 'books.jsonl');
    const written = Array.from({ length: 3000 }, (_, index) => `${index} é ${'x'.repeat(index % 97)}`);
    await writeFile(path, `${written.join('\n')}\n`);
    expect((await open(path, true)).lines).toEqual(written);
  });

  it('says when it cannot write, and leaves nothing of the line', async () => {
    const path = join(await world.folder(), 'books.jsonl');
    const { file } = await open(path);
    await file.append('one');
    await file.close();
    await expect(file.append('two')).rejects.toMatchObject({ code: 'DISK_FULL' });
    await expect(file.append('three')).rejects.toThrow('could neither be written nor taken back');
    expect(await readFile(path, 'utf8')).toBe('one\n');
  });
});

describe('noBookFile', () => {
  it('takes lines and forgets them', async () => {
    await noBookFile.append('one');
    await expect(noBookFile.close()).resolves.toBeUndefined();
  });
});

async function open(path: string, isReadOnly = false) {
  const lines: string[] = [];
  const file = await openBookFile(path, (line) => lines.push(line));
  if (isReadOnly) await file.close();
  return { file, lines };
}
