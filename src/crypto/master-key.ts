import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { deriveKey, secretBytes } from './derive-key.ts';
import { describeKeyPlace, type KeyPlace } from './key-place.ts';
import { isWindows, syncFolderNow } from '../kernel/folders.ts';
import { runSecretCommand } from '../config/config-secret.ts';

/**
 * The one key that opens all others. It is kept outside the ledger, so that a copy of the ledger alone reveals nothing.
 */
export type MasterKey = {
  /** 32 bytes. */
  readonly bytes: Buffer;
  /** Eight hexadecimal digits that name the key. They reveal nothing about its bytes and may be shown. */
  readonly id: string;
};

const KEY_BYTES = 32;
const RESTORE = 'Restore it from a backup. Only if nothing was ever sealed with it: remove it and run "paydrop init".';

/**
 * Loads every master key of a place, the current one first; each is the base64 of 32 bytes.
 * @throws MASTER_KEY_MISSING when there is none, when one is not a key, or when users other than its owner have rights
 * on the file
 */
export function loadMasterKeys(place: KeyPlace): MasterKey[] {
  switch (place.kind) {
    case 'file':
      return readMasterKeyFile(place.path);
    case 'environment': {
      const next = 'Set it to the text that "paydrop init" wrote; several are separated by commas.';
      return decodeMasterKeys(place.env[place.name] ?? '', `take the master key from ${place.name}`, next);
    }
    case 'command':
      return decodeMasterKeys(
        runKeyCommand(place),
        `take the master key from ${describeKeyPlace(place)}`,
        FROM_COMMAND,
      );
  }
}

const FROM_COMMAND = 'It must print only the keys, one per line, the current one first.';

/** Returns a new random master key, which has wrapped nothing yet. */
export function newMasterKey(): MasterKey {
  const bytes = randomBytes(KEY_BYTES);
  return { bytes: secretBytes(bytes), id: nameOf(bytes) };
}

/**
 * Writes a new random master key as base64, readable by its owner only. On return the file is on disk: a key lost in a
 * power cut takes everything sealed with it.
 * @throws OUTPUT_EXISTS when the file exists; it is never overwritten
 */
export function createMasterKeyFile(path: string): void {
  const descriptor = openNew(path);
  try {
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    fsyncSync(descriptor);
  } catch (error) {
    // Half a key would block the next attempt, and nothing can have been sealed with it.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  syncFolderNow(dirname(path));
}

/**
 * Replaces the keys in the file, the current one first. At every moment the file holds all old keys or all new ones:
 * losing a key loses everything that it has wrapped. Owner and mode stay.
 */
export function replaceMasterKeyFile(path: string, keys: readonly MasterKey[]): void {
  const { uid, gid } = statSync(path);
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    // Root may change the keys of another user, who must still be able to read them.
    if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid);
    writeFileSync(descriptor, keys.map((key) => `${Buffer.from(key.bytes).toString('base64')}\n`).join(''));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, path);
  syncFolderNow(dirname(path));
}

function readMasterKeyFile(path: string): MasterKey[] {
  const action = `read the master key from "${path}"`;
  const descriptor = openExisting(path, action);
  try {
    // Check the open file, not its name, so that it cannot be swapped before it is read.
    const { mode, size } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw missing(action, 'it is not a plain file');
    if (!isWindows() && (mode & 0o077) !== 0) throw readableByOthers(path, action, mode);
    if (size > 1024) throw missing(action, 'it is too large to be a key', RESTORE);
    return decodeMasterKeys(readFileSync(descriptor, 'utf8'), action, RESTORE);
  } finally {
    closeSync(descriptor);
  }
}

function decodeMasterKeys(text: string, action: string, next: string): MasterKey[] {
  if (text.trim() === '') throw missing(action, undefined, next);
  const keys = text
    .trim()
    .split(/\s*[,\n]\s*/)
    .map((word) => decodeMasterKey(word, action, next));
  return keys.filter((key, index) => keys.findIndex((other) => other.id === key.id) === index);
}

/**
 * Decodes one key. The error never quotes the text: a key with one character too many is still nearly the whole key.
 */
function decodeMasterKey(text: string, action: string, next: string): MasterKey {
  const bytes = Buffer.from(text, 'base64');
  // Node's decoder skips unknown characters, so compare: damaged text must not pass for a shorter or different key.
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text) {
    throw missing(action, 'it is not the base64 of 32 bytes', next);
  }
  return { bytes: secretBytes(bytes), id: nameOf(bytes) };
}

function nameOf(bytes: Buffer): string {
  const derived = deriveKey(bytes, ['master key id']);
  return createHash('sha256').update(derived).digest('hex').slice(0, 8);
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const next = 'Keep it: no other key opens data sealed with it.';
    throw new PipelineError('OUTPUT_EXISTS', `create the master key "${path}"`, 'the file already exists', { next });
  }
}

function openExisting(path: string, action: string): number {
  try {
    // Without O_NONBLOCK, a pipe of that name would block the whole program until something writes to it.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') throw missing(action);
    throw missing(
      action,
      `it cannot be opened (${code})`,
      'Give only the system user of paydrop permission to read it.',
    );
  }
}

function readableByOthers(path: string, action: string, mode: number): PipelineError {
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  const next = `Run: chmod 600 "${path}". If other users have read it, change the key.`;
  return missing(action, `users other than its owner have permissions on it (mode ${octal})`, next);
}

function missing(action: string, reason?: string, next?: string): PipelineError {
  return new PipelineError('MASTER_KEY_MISSING', action, reason, next === undefined ? {} : { next });
}

/**
 * Returns what the command of a master key prints.
 * @throws MASTER_KEY_MISSING when it cannot be run, fails, or takes too long
 */
export function runKeyCommand(place: KeyPlace & { kind: 'command' }, limitMs?: number): string {
  const output = runSecretCommand(place.words, place.env, limitMs);
  if ('value' in output) return output.value;
  throw new PipelineError('MASTER_KEY_MISSING', `take the master key from ${describeKeyPlace(place)}`, output.fault, {
    next: 'Run it as the system user of paydrop; it must print the key and exit with status 0.',
  });
}
