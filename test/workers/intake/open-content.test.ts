import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { checkMessage } from '../../../src/pgp/check-message.ts';
import { openContent, openOriginal, sealContentKey } from '../../../workers/open-original.ts';
import { encrypt, keysOf, makeKey } from '../../support/openpgp.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';

const CONTENT = lines(upTo(500).map((n) => achRow(n)));

const world = stepWorld({ accounts: 2 });

async function taken(content: string | Buffer): Promise<FileRow> {
  const folder = `drop/${world.freshAccount()}/ach-charge`;
  return readFileRow(world.app.ledger, await takeIn(world.app, folder, content));
}

describe('openContent', () => {
  it('gives the original of a file that came as it is', async () => {
    expect(await text(openContent(world.app, await taken(CONTENT)))).toBe(CONTENT);
  });

  it('gives what is inside a message by its sealed key, which opens for this file only', async () => {
    const own = await makeKey();
    const file = await taken(await encrypt(CONTENT, { to: own }));
    const rules = { at: file.claimed_at, maxBytes: 1_000_000 };
    const checked = await checkMessage(openOriginal(world.app, file), await keysOf([own], []), rules);
    if ('code' in checked) throw new Error(checked.code);
    const sealed = sealContentKey(world.app, file, checked.key);
    expect(sealed.includes(Buffer.from(checked.key.data))).toBe(false);
    expect(await text(openContent(world.app, { ...file, content_key: sealed }))).toBe(CONTENT);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1]! ^= 1;
    const other = { ...file, content_key: changed };
    expect(() => openContent(world.app, other)).toThrow('was changed or cut');
    expect(() => openContent(world.app, { ...file, content_key: sealed, wrapped_key: null })).toThrow('on purpose');
  });
});
