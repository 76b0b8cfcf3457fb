import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as openpgp from 'openpgp';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { makeKey, type TestKey } from '../../support/openpgp.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';

export const COMPRESSIONS = ['uncompressed', 'zip'] as const;

export type LargeMessage = { readonly path: string; readonly keyPath: string; readonly own: TestKey };

/** Writes a message with that many bytes of payments, and the key that opens it. It is never in memory as a whole. */
export async function writeLargeMessage(
  bytes: number,
  compression: (typeof COMPRESSIONS)[number],
): Promise<LargeMessage> {
  const dir = await freshFolder();
  const [path, keyPath] = [join(dir, 'large.csv.pgp'), join(dir, 'own.asc')];
  const own = await makeKey();
  await writeFile(keyPath, own.privateKey.armor());
  const encrypted = await openpgp.encrypt({
    message: await openpgp.createMessage({ binary: Readable.toWeb(Readable.from(manyRows(bytes))) as never }),
    encryptionKeys: own.publicKey,
    config: { preferredCompressionAlgorithm: openpgp.enums.compression[compression] },
    format: 'binary',
  });
  await pipeline(encrypted as AsyncIterable<Uint8Array>, createWriteStream(path));
  return { path, keyPath, own };
}

function* manyRows(bytes: number): Generator<Buffer> {
  for (let made = 0, n = 0; made < bytes; n += 700) {
    const piece = Buffer.from(lines(upTo(700).map((row) => cardRow(n + row))));
    made += piece.length;
    yield piece;
  }
}
