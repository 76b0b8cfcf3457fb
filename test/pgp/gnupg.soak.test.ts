import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { tmpdir } from 'node:os';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import * as openpgp from 'openpgp';
import { sha256Of } from '../../src/kernel/hash.ts';
import { checkMessage } from '../../src/pgp/check-message.ts';
import { openKeys, type OpenPgpKeys } from '../../src/pgp/open-keys.ts';
import { openMessage } from '../../src/pgp/open-message.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';
import { inPieces, makeKey, type TestKey } from '../support/openpgp.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { type ServiceVerdict, serviceVerdict } from '../support/service-verdict.ts';

describe('gnupg', () => {
  /** Messages and keys made by GnuPG, which most senders use. */

  const ROWS = lines(upTo(500).map((n) => cardRow(n)));
  const RULES = { at: new Date(), maxBytes: 1_000_000 };

  const verdict = gpgVerdict();
  it(verdict.sentence, () => {
    expect(verdict.isFine).toBe(true);
  });

  describe.runIf(gpgIsInstalled())('what GnuPG encrypts and signs', () => {
    const gpg = openedForTests(openTestGpg);
    let keys: OpenPgpKeys;
    beforeAll(async () => {
      gpg.run(['--quick-gen-key', 'paydrop@example.org', 'rsa2048', 'default', '1y']);
      const own = gpg.run(['--armor', '--export-secret-keys', 'paydrop@example.org']).toString();
      gpg.run(['--quick-gen-key', 'sender@example.org', 'default', 'default', '1y']);
      const sender = gpg.run(['--armor', '--export', 'sender@example.org']).toString();
      keys = await openKeys({ key: addSubkey(own), senders: [sender] }, 'main');
    });

    /** Adds a subkey for encryption, which a key of that kind lacks at first. */
    function addSubkey(own: string): string {
      if (own === '') throw new Error('gpg exported nothing');
      const fingerprint = gpg
        .run(['--with-colons', '--list-keys', 'paydrop@example.org'])
        .toString()
        .match(/^fpr:+([0-9A-F]+):/m)![1]!;
      gpg.run(['--quick-add-key', fingerprint, 'rsa2048', 'encr']);
      return gpg.run(['--armor', '--export-secret-keys', 'paydrop@example.org']).toString();
    }

    const SIGNED = ['--local-user', 'sender@example.org', '--sign'];
    const encryptTo = ['--recipient', 'paydrop@example.org', '--encrypt'];

    it.each([
      ['as it comes', []],
      ['armored', ['--armor']],
      ['not compressed', ['--compress-algo', 'none']],
      ['compressed by bzip2', ['--compress-algo', 'bzip2']],
      ['without naming the recipient', ['--throw-keyids']],
      ['as text', ['--textmode']],
    ])(
      'can be read %s, from a pipe and from a file',
      async (_how, options) => {
        const path = join(await freshFolder(), 'june.csv');
        await writeFile(path, ROWS);
        for (const words of [[], ['--output', '-', path]]) {
          const message = gpg.run([...options, ...SIGNED, ...encryptTo, ...words], words.length === 0 ? ROWS : '');
          const found = await checkMessage(inPieces(message), keys, RULES);
          if ('code' in found) throw new Error(`${found.code} ${found.detail}`);
          const content = await text(openMessage(inPieces(message), found.key));
          // GnuPG writes text with network line ends.
          expect(content.replaceAll('\r\n', '\n')).toBe(ROWS);
          expect(found).toMatchObject({ sha256: sha256Of(content), signedBy: expect.stringMatching(/^[0-9A-F]{40}$/) });
        }
      },
      60_000,
    );

    it('is refused without its signature, and with one byte changed', async () => {
      const unsigned = gpg.run(encryptTo, ROWS);
      expect(await checkMessage(inPieces(unsigned), keys, RULES)).toEqual({ code: 'PGP_UNSIGNED' });
      const changed = gpg.run([...SIGNED, ...encryptTo], ROWS);
      changed[changed.length - 1_000]! ^= 1;
      expect(await checkMessage(inPieces(changed), keys, RULES)).toEqual({ code: 'PGP_MESSAGE' });
    });
  });

  const MEGABYTES = 240;
  /** The library alone takes about 80 MB, and data in flight up to 60 MB. */
  const LIMIT_MB = 250;

  describe(`a message of ${MEGABYTES} MB`, () => {
    it.each(COMPRESSIONS)(
      `is checked and opened with the process below ${LIMIT_MB} MB: %s`,
      async (compression) => {
        const { path, keyPath } = await writeLargeMessage(MEGABYTES * 1_000_000, compression);
        const words = ['--max-old-space-size=128', '--import', 'tsx', 'test/pgp/support/measured-message.ts'];
        const { stdout } = await promisify(execFile)(process.execPath, [...words, path, keyPath]);
        const { checked, opened, peakMb } = JSON.parse(stdout) as Record<'checked' | 'opened' | 'peakMb', number>;
        expect(checked).toBeGreaterThanOrEqual(MEGABYTES * 1_000_000);
        expect(opened).toBe(checked);
        expect(peakMb).toBeLessThan(LIMIT_MB);
      },
      300_000,
    );
  });
});

/** GnuPG with a home of its own, as a sender has it. */
type TestGpg = {
  /** Runs it with `input` on standard input. Returns what it prints. */
  run(words: readonly string[], input?: string | Buffer): Buffer;
  close(): Promise<void>;
};

function gpgIsInstalled(): boolean {
  return spawnSync('gpg', ['--version']).status === 0;
}

function gpgVerdict(): ServiceVerdict {
  return serviceVerdict('gpg', 'tests with messages of GnuPG', gpgIsInstalled());
}

async function openTestGpg(): Promise<TestGpg> {
  // The agent's socket lies here, and names of sockets must be short.
  const home = await mkdtemp(join(tmpdir(), 'gpg-'));
  const env = { ...process.env, GNUPGHOME: home };
  const stdio = ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'];
  return {
    run: (words, input = '') =>
      execFileSync('gpg', ['--batch', '--yes', '--trust-model', 'always', '--passphrase', '', ...words], {
        env,
        input,
        stdio,
        maxBuffer: 100_000_000,
      }),
    close: async () => {
      spawnSync('gpgconf', ['--kill', 'all'], { env });
      await rm(home, { recursive: true, force: true });
    },
  };
}

const COMPRESSIONS = ['uncompressed', 'zip'] as const;

type LargeMessage = { readonly path: string; readonly keyPath: string; readonly own: TestKey };

/** Writes a message with that many bytes of payments, and the key that opens it. It is never in memory as a whole. */
async function writeLargeMessage(bytes: number, compression: (typeof COMPRESSIONS)[number]): Promise<LargeMessage> {
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
