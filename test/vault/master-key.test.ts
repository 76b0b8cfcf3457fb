import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMasterKeyFile, loadMasterKey } from '../../src/vault/master-key.ts';

const TEXT = Buffer.alloc(32, 0xfb).toString('base64');
const MISSING = (words: string) =>
  expect.objectContaining({ code: 'MASTER_KEY_MISSING', message: expect.stringContaining(words) });

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-master-'));
  file = join(folder, 'master.key');
});
afterEach(() => rm(folder, { recursive: true }));

describe('createMasterKeyFile', () => {
  it('writes a key that can be loaded, for its owner only', () => {
    createMasterKeyFile(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(loadMasterKey({ file, env: {} }).bytes).toHaveLength(32);
  });

  it('writes another key each time', () => {
    createMasterKeyFile(file);
    createMasterKeyFile(`${file}2`);
    expect(readFileSync(file, 'utf8')).not.toBe(readFileSync(`${file}2`, 'utf8'));
  });

  it.each(['', 'some other text'])('never overwrites, whatever is there: %j', (before) => {
    writeFileSync(file, before);
    expect(() => createMasterKeyFile(file)).toThrow(expect.objectContaining({ code: 'OUTPUT_EXISTS' }));
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('does not write through a link that leads elsewhere', () => {
    symlinkSync(join(folder, 'elsewhere'), file);
    expect(() => createMasterKeyFile(file)).toThrow(expect.objectContaining({ code: 'OUTPUT_EXISTS' }));
    expect(() => statSync(join(folder, 'elsewhere'))).toThrow('ENOENT');
  });

  it('does not make folders', () => {
    expect(() => createMasterKeyFile(join(folder, 'absent', 'master.key'))).toThrow('ENOENT');
  });
});

describe('loadMasterKey from a file', () => {
  it('takes the key with or without a line end', () => {
    writeKey(TEXT);
    expect(loadMasterKey({ file, env: {} }).bytes.equals(Buffer.alloc(32, 0xfb))).toBe(true);
    writeKey(`${TEXT}\r\n`);
    expect(loadMasterKey({ file, env: {} }).bytes.equals(Buffer.alloc(32, 0xfb))).toBe(true);
  });

  it('says what to do when there is none', () => {
    expect(() => loadMasterKey({ file, env: {} })).toThrow(MISSING('Run "paydrop init"'));
  });

  it.each([0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o666])(
    'refuses a file with rights for others, mode %o',
    (mode) => {
      writeKey(TEXT);
      chmodSync(file, mode);
      expect(() => loadMasterKey({ file, env: {} })).toThrow(MISSING(`mode 0${mode.toString(8)}`));
      expect(() => loadMasterKey({ file, env: {} })).toThrow(`chmod 600 "${file}"`);
    },
  );

  it.each([0o600, 0o400])('takes a file of its owner only, mode %o', (mode) => {
    writeKey(TEXT);
    chmodSync(file, mode);
    expect(loadMasterKey({ file, env: {} }).id).toMatch(/^[0-9a-f]{8}$/);
  });

  it.each([
    ['empty', ''],
    ['cut', TEXT.slice(0, 40)],
    ['a character too long', `A${TEXT}`],
    ['without its padding', TEXT.slice(0, -1)],
    ['with a stray character', `${TEXT.slice(0, 10)}!${TEXT.slice(10)}`],
    ['for web addresses', TEXT.replaceAll('+', '-').replaceAll('/', '_')],
    ['of 31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['of 33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['in hexadecimal', Buffer.alloc(32, 1).toString('hex')],
    ['far too long', 'A'.repeat(5000)],
  ])('refuses a key that is %s, and does not repeat it', (_, text) => {
    writeKey(text);
    const load = () => loadMasterKey({ file, env: {} });
    expect(load).toThrow(MISSING('Restore it from a backup'));
    if (text !== '') expect(load).not.toThrow(text.slice(0, 12));
  });

  it('refuses what is no plain file, and does not wait for a pipe', () => {
    mkdirSync(file);
    chmodSync(file, 0o700);
    expect(() => loadMasterKey({ file, env: {} })).toThrow(MISSING('not a plain file'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(() => loadMasterKey({ file: pipe, env: {} })).toThrow(MISSING('not a plain file'));
  });

  it('says how the system refused when the file cannot be opened', () => {
    writeKey(TEXT);
    expect(() => loadMasterKey({ file: join(file, 'below'), env: {} })).toThrow(MISSING('ENOTDIR'));
  });
});

describe('loadMasterKey from the environment', () => {
  it('takes the key there before the file', () => {
    createMasterKeyFile(file);
    const key = loadMasterKey({ file, env: { PAYDROP_MASTER_KEY: ` ${TEXT}\n` } });
    expect(key.bytes.equals(Buffer.alloc(32, 0xfb))).toBe(true);
  });

  it.each(['', '  '])('counts %j as not set', (text) => {
    createMasterKeyFile(file);
    expect(loadMasterKey({ file, env: { PAYDROP_MASTER_KEY: text } })).toEqual(loadMasterKey({ file, env: {} }));
  });

  it('does not fall back on the file when the value is no key', () => {
    createMasterKeyFile(file);
    const load = () => loadMasterKey({ file, env: { PAYDROP_MASTER_KEY: 'not a key' } });
    expect(load).toThrow(MISSING('PAYDROP_MASTER_KEY'));
    expect(load).not.toThrow('not a key');
  });
});

describe('MasterKey', () => {
  it('has an id that is the same each time and another for another key', () => {
    const idOf = (fill: number) =>
      loadMasterKey({ file, env: { PAYDROP_MASTER_KEY: Buffer.alloc(32, fill).toString('base64') } }).id;
    expect(idOf(1)).toBe('cab9db02');
    expect(idOf(1)).toBe(idOf(1));
    expect(idOf(1)).not.toBe(idOf(2));
  });

  it('does not show its bytes where it is printed', () => {
    const key = loadMasterKey({ file, env: { PAYDROP_MASTER_KEY: TEXT } });
    expect(JSON.stringify(key)).toBe(`{"bytes":"[hidden]","id":"${key.id}"}`);
  });
});

function writeKey(text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
