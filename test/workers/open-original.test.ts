import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openKeyRing } from '../../src/crypto/key-ring.ts';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { openFileKey, openOriginal, originalPath } from '../../workers/open-original.ts';
import { achRow, lines } from '../support/payment-rows.ts';
import { stepWorld } from './support/step-world.ts';
import { takeIn } from './support/take-in.ts';

const CONTENT = lines([achRow(1), achRow(2)]);

const world = stepWorld({ accounts: 1 });
let file: FileRow;
beforeAll(async () => {
  file = await readFileRow(world.app.ledger, await takeIn(world.app, 'drop/account-1/ach-charge', CONTENT));
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
      `it needs master key ${world.app.keys.current.id}, and this is ${app.keys.current.id}`,
    );
  });

  it("fails for another file's key", () => {
    expect(() => openOriginal(world.app, { ...file, file_id: '0123456789abcdef' })).toThrow('was changed or cut');
  });

  it('fails for a file whose key was destroyed, and says that it was on purpose', () => {
    expect(() => openFileKey(world.app, { ...file, wrapped_key: null })).toThrow(
      `Cannot open file "${file.file_id}": its key was destroyed on purpose. Its outcomes stand in the ledger`,
    );
  });

  it('fails rather than give other bytes', async () => {
    const path = join(world.root, 'tampered.sealed');
    await writeFile(path, 'not what was sealed, but long enough to look like it might have been, at least');
    const tampered = { ...file, archive: join('..', '..', 'tampered.sealed') };
    await expect(text(openOriginal(world.app, tampered))).rejects.toThrow('was changed or cut');
  });
});
