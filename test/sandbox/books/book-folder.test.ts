import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { lockFolder, noBookFile, openBookFile } from '../../../src/sandbox/books/book-folder.ts';
import { callSandbox } from '../support/make-context.ts';
import { rowsOf, useSandboxes } from '../support/sandbox-world.ts';
import { submitBatch } from '../support/soap-request.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { newBookSecret, openBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import { buildProgram } from '../../support/build-program.ts';

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
    await expect(file.append('three')).rejects.toThrow('could neither be written nor removed');
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

describe('openBookSecret', () => {
  it('is made once, for its owner only, and is the same from then on', async () => {
    const folder = await world.folder();
    const path = join(folder, 'secret');
    const first = await openBookSecret(path, true);
    const second = await openBookSecret(path, false);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['secret']);
    expect(second.keyOf(['a', 'b'])).toBe(first.keyOf(['a', 'b']));
    expect(second.unseal(first.seal(Buffer.from('text'), 'batch 1'), 'batch 1').toString()).toBe('text');
  });

  it('is not made anew beside books that need another', async () => {
    const path = join(await world.folder(), 'secret');
    await expect(openBookSecret(path, false)).rejects.toMatchObject({ code: 'MASTER_KEY_MISSING' });
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('is refused when it is cut, and made over a draft that was left', async () => {
    const path = join(await world.folder(), 'secret');
    await writeFile(path, 'short');
    await expect(openBookSecret(path, true)).rejects.toMatchObject({ code: 'MASTER_KEY_WRONG' });
    await rm(path);
    await writeFile(`${path}.part`, 'half');
    await expect(openBookSecret(path, true)).resolves.toBeDefined();
  });

  it('passes on what else is wrong with the file', async () => {
    await expect(openBookSecret(await world.folder(), true)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('newBookSecret', () => {
  it('is another each time', () => {
    expect(newBookSecret().keyOf(['a'])).not.toBe(newBookSecret().keyOf(['a']));
  });

  it('tells parts apart and gives nothing of them away', () => {
    const { keyOf } = newBookSecret();
    expect(keyOf(['a', 'b'])).not.toBe(keyOf(['ab']));
    expect(keyOf(['4222222222222220'])).toMatch(/^[\w-]{22}$/);
  });

  it('opens what it sealed for the same owner only, and nothing that was altered', () => {
    const { seal, unseal } = newBookSecret();
    const sealed = seal(Buffer.from('text'), 'batch 1');
    expect(sealed).not.toBe(seal(Buffer.from('text'), 'batch 1'));
    expect(unseal(sealed, 'batch 1').toString()).toBe('text');
    const broken = expect.objectContaining({ code: 'SEAL_BROKEN' });
    expect(() => unseal(sealed, 'batch 2')).toThrow(broken);
    expect(() => unseal(`AAAA${sealed.slice(4)}`, 'batch 1')).toThrow(broken);
    expect(() => unseal('AAAA', 'batch 1')).toThrow(broken);
    expect(() => newBookSecret().unseal(sealed, 'batch 1')).toThrow(broken);
  });
});

const REFUSED = expect.objectContaining({
  code: 'CONFIG_INVALID',
  message: expect.stringContaining('another sandbox is using it'),
});

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('lockFolder', () => {
  it('refuses a second, keeps the first, and leaves nothing behind', async () => {
    const folder = await world.folder();
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    await expect(lockFolder(join(folder, '.'))).rejects.toEqual(REFUSED);
    expect(await readdir(folder)).toHaveLength(1);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
    const again = await lockFolder(folder);
    await again();
  });

  it('never lets two of many have it that start together', async () => {
    const folder = await world.folder();
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
    const unlocks = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(unlocks.length).toBeLessThan(2);
    for (const unlock of unlocks) await unlock();
    await (await lockFolder(folder))();
  });

  it('gives other folders to others', async () => {
    const unlock = await lockFolder(await world.folder());
    await (await lockFolder(await world.folder()))();
    await unlock();
  });

  it('is held by a living process and taken over from one that was killed', async () => {
    const folder = await world.folder();
    const child = await startChild(folder);
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    // A stopped process is alive, and may write again at any moment.
    child.kill('SIGSTOP');
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
    const unlock = await lockFolder(folder);
    expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
    await unlock();
  });

  it('works in a folder whose name is longer than the address of a socket may be', async () => {
    const folder = join(await world.folder(), 'x'.repeat(120), 'y'.repeat(120));
    await mkdir(folder, { recursive: true });
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('says why a folder cannot be locked, and leaves files alone that are none of its locks', async () => {
    const folder = await world.folder();
    await writeFile(join(folder, 'package.lock'), '');
    await expect(lockFolder(join(folder, 'package.lock'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await (await lockFolder(folder))();
    expect(await readdir(folder)).toEqual(['package.lock']);
  });
});

async function startChild(folder: string): Promise<ChildProcess> {
  const { fileOf } = await buildProgram();
  const script = fileOf('test/sandbox/support/sandbox-child.ts');
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

describe('ids', () => {
  const ROW = rowsOf('1001', 1);

  it('gives no id twice after a reset or a restart of kept books, whose rows keep theirs', async () => {
    const options = { dataDir: await world.folder(), firstBatchId: 'time', now: '2026-06-15T09:00:00Z' } as const;
    const report = { date: '2026-06-15T09:00:00Z' };
    const path = '/NetGate/ReportLinkv2.asmx';
    const idsOf = async (sandbox: Sandbox) =>
      (await callSandbox(sandbox, 'GetACHEFTApprovedSpecificDateXML', report, { path })).match(/(?<=<TNID>)\w+/g) ?? [];
    const first = await world.start(options);
    const before = [await submitBatch(first.url, 'ProcessACHEFTChargeBatch', ROW), ...(await idsOf(first))];
    await first.reset();
    await first.close();
    const second = await world.start(options);
    const after = [await submitBatch(second.url, 'ProcessACHEFTChargeBatch', ROW), ...(await idsOf(second))];
    await second.close();
    const third = await world.start(options);
    const more = [await submitBatch(third.url, 'ProcessACHEFTChargeBatch', rowsOf('1002', 1)), ...(await idsOf(third))];
    expect([before.length, after.length, more.length]).toEqual([2, 2, 3]);
    expect(more).toContain(after[1]);
    expect(new Set([...before, ...after, ...more]).size).toBe(6);
    expect(Number(more[0])).toBe(Number(after[0]) + 1);
  });
});
