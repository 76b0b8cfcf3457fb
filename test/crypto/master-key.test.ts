import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createMasterKeyFile,
  loadMasterKeys,
  newMasterKey,
  replaceMasterKeyFile,
} from '../../src/crypto/master-key.ts';
import { loadMasterKey, masterKeyOf, textOf } from '../support/openpgp.ts';
import { describeKeyPlace, findKeyPlace } from '../../src/crypto/key-place.ts';
import { findKey, idsOf, openKeyRing } from '../../src/crypto/key-ring.ts';

describe('master key', () => {
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
      expect(() => loadMasterKey({ file, env: {} })).toThrow(MISSING('Restore its copy'));
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

  describe('several master keys in one place', () => {
    it.each([
      ['commas', `${textOf(1)},${textOf(2)}`],
      ['commas and spaces', ` ${textOf(1)} , ${textOf(2)} `],
      ['lines', `${textOf(1)}\n${textOf(2)}\n`],
      ['lines of another system, and an empty one', `${textOf(1)}\r\n\r\n${textOf(2)}\r\n`],
      ['the same twice', `${textOf(1)},${textOf(2)},${textOf(1)}`],
    ])('are separated by %s; the first is the current one', (_, text) => {
      writeKey(text);
      expect(loadMasterKeys({ kind: 'file', path: file }).map((key) => key.bytes[0])).toEqual([1, 2]);
    });

    it.each([`${textOf(1)},`, `${textOf(1)},x`, `x,${textOf(1)}`])('are refused when one is none: %#', (text) => {
      const place = { kind: 'environment', name: 'KEYS', env: { KEYS: text } } as const;
      expect(() => loadMasterKeys(place)).toThrow(MISSING('KEYS'));
    });

    it('may come from a command', () => {
      const words = [process.execPath, '-p', `"${textOf(3)}\\n${textOf(4)}"`];
      const keys = loadMasterKeys({ kind: 'command', words, env: {} });
      expect(keys.map((key) => key.bytes[0])).toEqual([3, 4]);
    });
  });

  describe('replaceMasterKeyFile', () => {
    it('writes all of them, the first first, for the owner only, and leaves nothing else', () => {
      writeKey(textOf(1));
      const fresh = newMasterKey();
      replaceMasterKeyFile(file, [fresh, ...loadMasterKeys({ kind: 'file', path: file })]);
      const ids = loadMasterKeys({ kind: 'file', path: file }).map((key) => key.id);
      expect(ids).toEqual([fresh.id, 'cab9db02']);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual(['master.key']);
    });

    it('takes no notice of what an earlier try left behind', () => {
      writeKey(textOf(1));
      writeFileSync(`${file}.new`, 'half a ke');
      replaceMasterKeyFile(file, [newMasterKey()]);
      expect(loadMasterKeys({ kind: 'file', path: file })).toHaveLength(1);
    });

    it('does not make a file where there was none', () => {
      expect(() => replaceMasterKeyFile(file, [newMasterKey()])).toThrow('ENOENT');
    });
  });
});

const SETTINGS = { root: '/srv/pay', paths: { masterKey: '/srv/pay/data/master.key' } };
const ENV = { PAYDROP_MASTER_KEY: 'a', OTHER: 'b' };

describe('findKeyPlace', () => {
  it.each([
    [undefined, {}, { kind: 'file', path: '/srv/pay/data/master.key' }],
    [undefined, { PAYDROP_MASTER_KEY: ' ' }, { kind: 'file', path: '/srv/pay/data/master.key' }],
    [undefined, ENV, { kind: 'environment', name: 'PAYDROP_MASTER_KEY', env: ENV }],
    ['file:keys/a', ENV, { kind: 'file', path: '/srv/pay/keys/a' }],
    ['file:/etc/key', {}, { kind: 'file', path: '/etc/key' }],
    ['env:OTHER', ENV, { kind: 'environment', name: 'OTHER', env: ENV }],
    ['command:vault  read key', ENV, { kind: 'command', words: ['vault', 'read', 'key'], env: ENV }],
  ])('%j with %j', (masterKey, env, place) => {
    expect(findKeyPlace({ ...SETTINGS, masterKey }, env)).toEqual(place);
  });
});

describe('describeKeyPlace', () => {
  it('names the place, and of a command no word that may be secret', () => {
    expect(describeKeyPlace({ kind: 'file', path: '/a' })).toBe('"/a"');
    expect(describeKeyPlace({ kind: 'environment', name: 'A', env: { A: 'secret' } })).toBe('A');
    expect(describeKeyPlace({ kind: 'command', words: ['vault', 'secret'], env: {} })).toBe('the command "vault"');
  });
});

describe('key ring', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-ring-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const [one, two, three] = [1, 2, 3].map(masterKeyOf);
  const write = (...fills: number[]) =>
    writeFile(join(folder, 'key'), fills.map((fill) => `${textOf(fill)}\n`).join(''), { mode: 0o600 });

  describe('openKeyRing', () => {
    it('holds all keys of a place, the first as the current one', async () => {
      await write(1, 2);
      const ring = openKeyRing({ kind: 'file', path: join(folder, 'key') });
      expect(ring.current).toEqual(one);
      expect(ring.ids()).toEqual([one!.id, two!.id]);
      expect(ring.find(two!.id)).toEqual(two);
    });

    it('reads the place again for a key that it does not hold, and only then', async () => {
      await write(1);
      const ring = openKeyRing({ kind: 'file', path: join(folder, 'key') });
      await write(2, 1);
      expect(ring.find(one!.id)).toEqual(one);
      expect(ring.current).toEqual(one);
      expect(ring.find(two!.id)).toEqual(two);
      expect(ring.current).toEqual(two);
      expect(ring.find(three!.id)).toBeUndefined();
    });

    it('keeps what it holds when the place has gone wrong', async () => {
      await write(1);
      const ring = openKeyRing({ kind: 'file', path: join(folder, 'key') });
      await writeFile(join(folder, 'key'), 'no key');
      expect(ring.find(two!.id)).toBeUndefined();
      expect(ring.find(one!.id)).toEqual(one);
    });

    it('does not open without a key', () => {
      expect(() => openKeyRing({ kind: 'file', path: join(folder, 'absent') })).toThrow(
        expect.objectContaining({ code: 'MASTER_KEY_MISSING' }),
      );
    });
  });

  describe('findKey and idsOf', () => {
    it('take a single key for a ring of one', () => {
      expect(findKey(one!, one!.id)).toBe(one);
      expect(findKey(one!, two!.id)).toBeUndefined();
      expect(idsOf(one!)).toEqual([one!.id]);
    });
  });
});
