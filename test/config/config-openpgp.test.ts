import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountConfig } from '../../schemas/config.ts';
import type { ConfigFault } from '../../src/config/config-faults.ts';
import { readOpenPgp } from '../../src/config/config-secret.ts';
import { ACCOUNT } from '../kernel/support/config-world.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-openpgp-'));
  await writeFile(join(root, 'own.asc'), 'our key\n', { mode: 0o600 });
  await writeFile(join(root, 'open.asc'), 'our key\n', { mode: 0o644 });
  await writeFile(join(root, 'sender.asc'), 'their key\n', { mode: 0o644 });
});

afterAll(() => rm(root, { recursive: true }));

function read(openpgp: Record<string, unknown>) {
  const faults: ConfigFault[] = [];
  const config = AccountConfig.parse({ ...ACCOUNT, openpgp }).openpgp!;
  const env = { WORD: 'open sesame' };
  return { texts: readOpenPgp(config, 'accounts.main.openpgp', { root, env, faults }), faults };
}

describe('readOpenPgp', () => {
  it('reads keys and passphrase from where they are', () => {
    const { texts, faults } = read({ key: 'file:own.asc', passphrase: 'env:WORD', senders: ['file:sender.asc'] });
    expect(texts).toEqual({ key: 'our key', passphrase: 'open sesame', senders: ['their key'] });
    expect(faults).toEqual([]);
  });

  it('takes what a command prints, with its words and without its line end', () => {
    const command = `command:${process.execPath} -p 'a'+1`;
    expect(read({ key: command }).texts).toEqual({ key: 'a1', senders: [] });
  });

  it('names what cannot be read, and of a command the program only', () => {
    const { faults } = read({
      key: 'file:open.asc',
      passphrase: 'command:/nowhere/vault --token=secret',
      senders: ['file:sender.asc', 'file:gone.asc', 'env:NONE'],
    });
    expect(faults).toEqual([
      { path: 'accounts.main.openpgp.key', reason: expect.stringContaining('may be read by others') },
      {
        path: 'accounts.main.openpgp.passphrase',
        reason: 'the command "/nowhere/vault" gave nothing: it cannot be run (ENOENT)',
      },
      { path: 'accounts.main.openpgp.senders.1', reason: 'the file "gone.asc" cannot be read (ENOENT)' },
      { path: 'accounts.main.openpgp.senders.2', reason: 'the environment variable "NONE" is empty or missing' },
    ]);
    expect(JSON.stringify(read({ key: `command:${process.execPath} -e 0` }).faults)).toContain('printed nothing');
  });

  it.each([
    ['a key in the configuration itself', { key: '-----BEGIN PGP PRIVATE KEY BLOCK-----' }],
    ['a required signature of nobody', { key: 'env:X', signature: 'required' }],
    ['a public key from a command', { key: 'env:X', senders: ['command:x'] }],
  ])('is not asked for %s', (_what, openpgp) => {
    expect(AccountConfig.safeParse({ ...ACCOUNT, openpgp }).success).toBe(false);
  });
});
