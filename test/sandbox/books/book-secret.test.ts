import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newBookSecret, openBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();

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
