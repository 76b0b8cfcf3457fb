import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DropRules, openDrop } from '../../../src/cli/validate/choose-rules.ts';
import { encrypt, makeKey, type TestKey } from '../../support/openpgp.ts';

let dir: string;
let own: TestKey;
let rules: DropRules;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-open-drop-'));
  own = await makeKey();
  const config = { key: own.privateKey.armor(), senders: [] };
  rules = { folder: { encryption: 'optional' }, openpgp: { account: 'main', config }, maxBytes: undefined };
});
afterAll(() => rm(dir, { recursive: true }));

/** Returns what would be read as rows, or the code of the refusal. */
async function opened(name: string, content: string | Buffer, change: Partial<DropRules> = {}): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  const drop = await openDrop(path, { ...rules, ...change });
  if ('code' in drop) return drop.code;
  const file = await open(path);
  let text = '';
  for await (const piece of drop.contentOf(file)) text += Buffer.from(piece).toString();
  await file.close();
  return text;
}

describe('openDrop', () => {
  it('gives the rows of a file, whether they are encrypted or not', async () => {
    expect(await opened('plain.csv', 'a,b\n')).toBe('a,b\n');
    expect(await opened('june.csv.pgp', await encrypt('a,b\n', { to: own }))).toBe('a,b\n');
  });

  it('says why a file would be refused', async () => {
    const message = await encrypt('a,b\n', { to: own });
    expect(await opened('june.csv.pgp', message, { openpgp: undefined })).toBe('PGP_NO_KEY');
    expect(await opened('june.csv.pgp', message, { maxBytes: 3 })).toBe('FILE_TOO_LARGE');
    expect(await opened('june.csv.pgp', message.subarray(1))).toBe('PGP_MESSAGE');
    expect(await opened('june.csv', 'a,b\n', { folder: { encryption: 'required' } })).toBe('PGP_PLAIN');
  });
});
