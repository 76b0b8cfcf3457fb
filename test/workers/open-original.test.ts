import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openKeyRing } from '../../src/crypto/key-ring.ts';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import {
  folderOf,
  openContent,
  openFileKey,
  openOriginal,
  openResult,
  originalPath,
  sealContentKey,
  sealResult,
} from '../../workers/open-original.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { stepWorld } from './support/step-world.ts';
import type { App } from '../../src/app.ts';
import { checkMessage } from '../../src/pgp/check-message.ts';
import { encrypt, keysOf, makeKey } from '../support/openpgp.ts';
import { sha256Of } from '../../src/kernel/hash.ts';

const CONTENT = lines([achRow(1), achRow(2)]);

const world = stepWorld({ accounts: 11 });
let file: FileRow;
beforeAll(async () => {
  file = await world.file(await world.takeIn('drop/account-1/ach-charge', CONTENT));
});

describe('openOriginal', () => {
  it('gives the dropped bytes back', async () => {
    expect(await text(openOriginal(world.app, file))).toBe(CONTENT);
  });

  it('lies in the archive, under the day of the claim and the id of the file', () => {
    const day = file.claimed_at.toISOString().slice(0, 10).replaceAll('-', '/');
    expect(originalPath(world.app, file)).toBe(join(world.settings.paths.archive, day, `${file.file_id}.sealed`));
  });

  it('fails for another master key, and names both keys', () => {
    const path = join(world.root, 'other.key');
    createMasterKeyFile(path);
    const app = { ...world.app, keys: openKeyRing({ kind: 'file', path }) };
    expect(() => openOriginal(app, file)).toThrow(
      `it needs master key ${world.app.keys.current.id}, but this is ${app.keys.current.id}`,
    );
  });

  it("fails for another file's key", () => {
    expect(() => openOriginal(world.app, { ...file, file_id: '0123456789abcdef' })).toThrow('was changed or cut');
  });

  it('fails for a file whose key was destroyed, and says that it was on purpose', () => {
    expect(() => openFileKey(world.app, { ...file, wrapped_key: null })).toThrow(
      `Cannot open file "${file.file_id}": its key was destroyed on purpose. Its outcomes are in the ledger`,
    );
  });

  it('fails rather than give other bytes', async () => {
    const path = join(world.root, 'tampered.sealed');
    await writeFile(path, 'not what was sealed, but long enough to look like it might have been, at least');
    const tampered = { ...file, archive: join('..', '..', 'tampered.sealed') };
    await expect(text(openOriginal(world.app, tampered))).rejects.toThrow('was changed or cut');
  });
});

const KNOWN = { id: 'drop/card' };
// `folderOf` only uses the app's folders.
const app = { folder: (id: string) => (id === KNOWN.id ? KNOWN : undefined) } as unknown as App;

describe('folderOf', () => {
  it('is the folder of the configuration', () => {
    expect(folderOf(app, 'drop/card', 'f1')).toBe(KNOWN);
  });

  it('says which folder to put back when it is gone', () => {
    expect(() => folderOf(app, 'drop/gone', 'f1')).toThrow(
      'Cannot take in file "f1": folder "drop/gone" is no longer in the configuration. Add the folder to paydrop.yaml again; the file waits in the work folder.',
    );
  });
});

const MANY_ROWS = lines(upTo(500).map((n) => achRow(n)));

async function taken(content: string | Buffer): Promise<FileRow> {
  const folder = `drop/${world.freshAccount()}/ach-charge`;
  return world.file(await world.takeIn(folder, content));
}

describe('openContent', () => {
  it('gives the original of a file that came as it is', async () => {
    expect(await text(openContent(world.app, await taken(MANY_ROWS)))).toBe(MANY_ROWS);
  });

  it('gives what is inside a message by its sealed key, which opens for this file only', async () => {
    const own = await makeKey();
    const file = await taken(await encrypt(MANY_ROWS, { to: own }));
    const rules = { at: file.claimed_at, maxBytes: 1_000_000 };
    const checked = await checkMessage(openOriginal(world.app, file), await keysOf([own], []), rules);
    if ('code' in checked) throw new Error(checked.code);
    const sealed = sealContentKey(world.app, file, checked.key);
    expect(sealed.includes(Buffer.from(checked.key.data))).toBe(false);
    expect(await text(openContent(world.app, { ...file, content_key: sealed }))).toBe(MANY_ROWS);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1]! ^= 1;
    const other = { ...file, content_key: changed };
    expect(() => openContent(world.app, other)).toThrow('was changed or cut');
    expect(() => openContent(world.app, { ...file, content_key: sealed, wrapped_key: null })).toThrow('on purpose');
  });
});

describe('sealResult and openResult', () => {
  it('give back what was sealed, for the batch that it was sealed for alone', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 4);
    const [one, two] = [1, 2].map((batchNo) => ({ fileId, batchNo }));
    const file = await world.file(fileId);
    await expect(openResult(world.app, file, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const bytes = Buffer.from('A-1,Received');
    const { sealed, sha256 } = sealResult(world.app, file, one!.batchNo, bytes);
    expect(sha256).toBe(sha256Of(bytes));
    expect(sealed.includes('Received')).toBe(false);
    const keep = (batchNo: number, part: string) =>
      world.query('INSERT INTO sealed_part VALUES ($1, $2, $3, $4)', [fileId, batchNo, part, sealed]);
    await keep(1, 'result');
    await keep(two!.batchNo, 'result');
    expect(await openResult(world.app, file, 1)).toEqual(bytes);
    await expect(openResult(world.app, file, 2)).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });
});
