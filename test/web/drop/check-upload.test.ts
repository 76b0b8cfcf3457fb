import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { checkUpload } from '../../../src/web/drop/check-upload.ts';
import { encrypt, makeKey } from '../../support/openpgp.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let world: PipelineWorld;
let message: Buffer;
beforeAll(async () => {
  const own = await makeKey();
  world = await openPipelineWorld();
  const account = world.settings.accounts.get('main')!;
  Object.assign(account, { openpgp: { key: own.privateKey.armor(), senders: [] } });
  message = Buffer.from(await encrypt(lines([cardRow(1)]), { to: own }));
});
afterAll(() => world.close());

async function* bytesOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 5) yield content.subarray(at, at + 5);
}

const check = (name: string, content: Uint8Array) =>
  checkUpload(world.app, world.app.folder('drop/card')!, { name, source: bytesOf(content) });

describe('checkUpload', () => {
  it('foresees the verdict, and remembers how the file begins', async () => {
    const content = Buffer.from(lines([cardRow(1)]));
    const found = await check('june.csv', content);
    expect(found).toMatchObject({ decision: { verdict: 'accept' }, check: { sha256: sha256Of(content), records: 1 } });
    expect(Buffer.from(found.head)).toEqual(content.subarray(0, found.head.length));
    expect((await check('june.csv', Buffer.alloc(10_000))).head.length).toBeLessThan(300);
  });

  it('leaves an encrypted file to the intake, but for bytes that came before', async () => {
    const later = { decision: 'later', bytes: message.length, sha256: sha256Of(message) };
    expect(await check('june.csv.pgp', message)).toMatchObject(later);
    await world.drop('card', 'june.csv.pgp', message);
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv.pgp': 'completed' });
    expect(await check('again.csv.gpg', message)).toMatchObject({
      decision: { verdict: 'reject', code: 'DUPLICATE_FILE', duplicateOf: expect.any(String) },
      faultCount: 1,
    });
    // The same payments unencrypted: the decrypted content counts too.
    const plain = await check('june.csv', Buffer.from(lines([cardRow(1)])));
    expect(plain).toMatchObject({ decision: { verdict: 'reject', code: 'DUPLICATE_FILE' } });
  });
});
