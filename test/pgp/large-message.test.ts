import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import * as openpgp from 'openpgp';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../drop/support/fresh-folder.ts';
import { makeKey } from '../support/openpgp.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';

const MEGABYTES = 120;
/** The library alone takes some 80. */
const LIMIT_MB = 180;

describe(`a message of ${MEGABYTES} MB`, () => {
  it.each(['uncompressed', 'zip'] as const)(
    `is checked and opened with the process below ${LIMIT_MB} MB: %s`,
    async (compression) => {
      const dir = await freshFolder();
      const [path, keyPath] = [join(dir, 'large.csv.pgp'), join(dir, 'own.asc')];
      const own = await makeKey();
      await writeFile(keyPath, own.privateKey.armor());
      const encrypted = await openpgp.encrypt({
        message: await openpgp.createMessage({ binary: Readable.toWeb(Readable.from(manyRows())) as never }),
        encryptionKeys: own.publicKey,
        config: { preferredCompressionAlgorithm: openpgp.enums.compression[compression] },
        format: 'binary',
      });
      await pipeline(encrypted as AsyncIterable<Uint8Array>, createWriteStream(path));

      const words = ['--max-old-space-size=128', '--import', 'tsx', 'test/pgp/support/measured-message.ts'];
      const { stdout } = await promisify(execFile)(process.execPath, [...words, path, keyPath]);
      const { checked, opened, peakMb } = JSON.parse(stdout) as Record<'checked' | 'opened' | 'peakMb', number>;
      expect(checked).toBeGreaterThanOrEqual(MEGABYTES * 1_000_000);
      expect(opened).toBe(checked);
      expect(peakMb).toBeLessThan(LIMIT_MB);
    },
    180_000,
  );
});

function* manyRows(): Generator<Buffer> {
  for (let made = 0, n = 0; made < MEGABYTES * 1_000_000; n += 700) {
    const piece = Buffer.from(lines(upTo(700).map((row) => cardRow(n + row))));
    made += piece.length;
    yield piece;
  }
}
