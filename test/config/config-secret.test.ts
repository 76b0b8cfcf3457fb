import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSecret } from '../../src/config/config-secret.ts';

const CANARY = 'hunter2';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-secret-'));
});

afterEach(() => rm(root, { recursive: true }));

describe('readSecret', () => {
  it.each(['TEST88', 'envy', 'ENV:X', 'a env:X', 'http://x', ''])('takes %j as it is', (text) => {
    expect(readSecret(text, root, { X: CANARY })).toEqual({ value: text });
  });

  it('reads the environment, and changes nothing in it', () => {
    expect(readSecret('env:X', root, { X: ` ${CANARY} ` })).toEqual({ value: ` ${CANARY} ` });
  });

  it.each([{}, { X: '' }, { Y: CANARY }])('names the variable that is not set in %j', (env) => {
    expect(readSecret('env:X', root, env)).toEqual({ fault: 'the environment variable "X" is empty or missing' });
  });

  it.each(['env', 'file'])('finds nothing behind "%s:"', (kind) => {
    expect(readSecret(`${kind}:`, root, {})).toEqual({ fault: `nothing follows "${kind}:"` });
  });

  it.each([0o600, 0o400])('reads a file of mode %o, without the end of its line', async (mode) => {
    await writeSecret('key', `${CANARY}\r\n`, mode);
    expect(readSecret('file:key', root, {})).toEqual({ value: CANARY });
    expect(readSecret(`file:${join(root, 'key')}`, '/elsewhere', {})).toEqual({ value: CANARY });
  });

  it.each([0o640, 0o604, 0o620, 0o610, 0o644, 0o666, 0o777])('refuses a file of mode %o', async (mode) => {
    await writeSecret('key', CANARY, mode);
    expect(readSecret('file:key', root, {})).toEqual({
      fault: 'the file "key" may be read by others (set its mode to 0600)',
    });
  });

  it.each(['', '\n', '  '])('refuses a file that holds %j', async (text) => {
    await writeSecret('key', text, 0o600);
    expect(readSecret('file:key', root, {})).toEqual({ fault: 'the file "key" is empty' });
  });

  it('says what kept it from reading', async () => {
    await mkdir(join(root, 'folder'), { mode: 0o700 });
    expect(readSecret('file:gone', root, {})).toEqual({ fault: 'the file "gone" cannot be read (ENOENT)' });
    expect(readSecret('file:folder', root, {})).toEqual({ fault: 'the file "folder" cannot be read (EISDIR)' });
  });
});

/** Writes a file, then sets its mode, because the umask narrows a mode given at creation. */
async function writeSecret(name: string, text: string, mode: number): Promise<void> {
  await writeFile(join(root, name), text);
  await chmod(join(root, name), mode);
}
