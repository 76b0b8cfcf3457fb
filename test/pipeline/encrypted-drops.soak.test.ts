import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultCode } from '../../schemas/errors.ts';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { approveFile } from '../../src/ledger/file/release-held.ts';
import { readAudit } from '../../src/ledger/file/search.ts';
import { originalPath } from '../../workers/open-original.ts';
import {
  fileNamed,
  goodRows,
  keptLog,
  leftOver,
  ledgerText,
  readNotice,
  readOriginal,
  sayingOf,
} from '../support/bad-input.ts';
import { findCanaries } from '../support/canaries.ts';
import { encrypt, makeKey, type TestKey, writeKey } from '../support/openpgp.ts';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/** Drops that are OpenPGP messages, from the folder to what the service booked. */

const GOOD = [
  ['monday.csv.pgp', {}],
  ['tuesday.csv.GPG', { compression: 'zip' }],
  ['wednesday.csv.asc', { armored: true }],
] as const;
const good = new Map<string, { rows: string; message: Buffer }>();

const log = keptLog();
let dir: string;
let own: TestKey;
let former: TestKey;
let sender: TestKey;
let world: PipelineWorld;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-openpgp-'));
  [own, former, sender] = await Promise.all([makeKey(), makeKey(), makeKey()]);
  const openpgp = {
    key: await writeKey(dir, 'own.asc', own.privateKey.armor() + former.privateKey.armor()),
    senders: [await writeKey(dir, 'sender.asc', sender.publicKey.armor())],
  };
  world = await openPipelineWorld({
    account: { openpgp },
    folder: { unusualFactor: 0, maxBytes: 1_000_000 },
    log: log.log,
  });
  for (const [name, options] of GOOD) {
    const rows = freshRows();
    const message = await encrypt(rows, { to: own, by: sender, ...options });
    good.set(name, { rows, message });
    await world.drop('card', name, message);
    await world.drop('card', `${name}.ctl`, `rows=3\ntotal=75.00\nsha256=${sha256Of(message)}\n`);
  }
  await world.finish();
});
afterAll(async () => {
  await world?.close();
  await rm(dir, { recursive: true });
});

let number = 0;
/** Returns rows that no other test has. */
function freshRows(): string {
  number += 1;
  return lines(upTo(3).map((n) => cardRow(n, { invoice: `E${number}-${n}` })));
}

function booked(invoice: string): number {
  return world.sandbox.books().filter((row) => row.invoice === invoice).length;
}

describe('an encrypted and signed drop', () => {
  it.each(GOOD)('%s is paid like any other', async (name) => {
    const { rows, message } = good.get(name)!;
    const file = await fileNamed(world, name);
    expect(file).toMatchObject({
      state: 'completed',
      completeness: 'sidecar',
      sha256: sha256Of(message),
      bytes: message.length,
      content_sha256: sha256Of(rows),
    });
    expect(await readOriginal(world, file)).toEqual(message);
    const day = name.split('.')[0];
    const [[output, result]] = Object.entries(await world.outputs('result')).filter(([one]) =>
      one.startsWith(day!),
    ) as [[string, string]];
    expect(output).toMatch(/^[a-z]+__[a-z0-9]{8}\.result\.csv$/);
    expect(result.match(/APPROVED/g)).toHaveLength(3);
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
  });

  it('leaves who signed it in the audit trail', async () => {
    const file = await fileNamed(world, 'monday.csv.pgp');
    const accepted = (await readAudit(world.app.ledger, file.file_id)).find((link) => link.move === 'accept');
    expect(accepted?.evidence).toMatchObject({
      message: { sha256: file.content_sha256, signedBy: sender.publicKey.getFingerprint().toUpperCase() },
    });
  });

  it('needs our key once only: its outputs are written when the key is gone', async () => {
    const name = 'late.csv.pgp';
    await world.drop('card', name, await encrypt(lines([cardRow(1), cardRow(1)]), { to: former, by: sender }));
    await world.finish();
    const { file_id: fileId } = await fileNamed(world, name);
    const withKey = world.app;
    world.app = { ...withKey, openPgpKeys: () => undefined };
    await approveFile(world.app.ledger, fileId, { actor: 'operator:ada', reason: 'the sender was asked' });
    await world.finish();
    world.app = withKey;
    expect(await fileNamed(world, name)).toMatchObject({ state: 'completed' });
  });
});

describe('an encrypted drop with security codes', () => {
  it('is destroyed like any other, with the key of the message', async () => {
    const rows = freshRows().replaceAll('12/35', '12/35,737');
    await world.drop('card', 'codes.csv.pgp', await encrypt(rows, { to: own, by: sender }));
    await world.finish();
    const file = await fileNamed(world, 'codes.csv.pgp');
    expect(file).toMatchObject({ reason_code: 'SECURITY_CODE', wrapped_key: null, content_key: null });
    expect(existsSync(originalPath(world.app, file))).toBe(false);
  });
});

describe('the same payments, encrypted again', () => {
  it('are refused, whether they came encrypted or plain before', async () => {
    const [first, second] = [freshRows(), freshRows()];
    await world.drop('card', 'once.csv.pgp', await encrypt(first, { to: own, by: sender }));
    await world.drop('card', 'plain.csv', second);
    await world.finish();
    await world.drop('card', 'again.csv.pgp', await encrypt(first, { to: own, by: sender }));
    await world.drop('card', 'in-clear.csv', first);
    await world.drop('card', 'hidden.csv.asc', await encrypt(second, { to: own, by: sender, armored: true }));
    await world.finish();
    for (const [name, earlier] of [
      ['again.csv.pgp', 'once.csv.pgp'],
      ['in-clear.csv', 'once.csv.pgp'],
      ['hidden.csv.asc', 'plain.csv'],
    ] as const) {
      const { file_id: fileId } = await fileNamed(world, earlier);
      expect(await fileNamed(world, name)).toMatchObject({
        state: 'rejected',
        reason_code: 'DUPLICATE_FILE',
        duplicate_of: fileId,
      });
    }
    for (const invoice of [`E${number - 1}-1`, `E${number}-1`]) expect(booked(invoice)).toBe(1);
  });
});

describe('a message that is not good', () => {
  const REFUSALS: [FaultCode, string, () => Promise<Buffer>][] = [
    ['PGP_WRONG_KEY', 'for-another.csv.pgp', async () => encrypt(freshRows(), { to: await makeKey(), by: sender })],
    ['PGP_UNSIGNED', 'unsigned.csv.pgp', () => encrypt(freshRows(), { to: own })],
    ['PGP_SIGNER', 'stranger.csv.pgp', async () => encrypt(freshRows(), { to: own, by: await makeKey() })],
    ['PGP_MESSAGE', 'changed.csv.pgp', async () => changed(await encrypt(freshRows(), { to: own, by: sender }))],
    ['PGP_MESSAGE', 'cut.csv.pgp', async () => (await encrypt(freshRows(), { to: own, by: sender })).subarray(0, -30)],
    ['PGP_MESSAGE', 'rows.csv.pgp', async () => Buffer.from(freshRows())],
    ['PGP_MESSAGE', 'empty.csv.pgp', async () => Buffer.alloc(0)],
    [
      'FILE_TOO_LARGE',
      'bomb.csv.pgp',
      () => encrypt(Buffer.alloc(10_000_000, '0'), { to: own, by: sender, compression: 'zip' }),
    ],
  ];

  it('is refused and says why, while the others go on; its original is kept as it came', async () => {
    const messages = await Promise.all(REFUSALS.map(async ([, name, make]) => [name, await make()] as const));
    for (const [name, message] of messages) await world.drop('card', name, message);
    await world.drop('card', 'beside.csv', goodRows(1));
    await world.finish();
    for (const [index, [code, name]] of REFUSALS.entries()) {
      const file = await fileNamed(world, name);
      expect(file, name).toMatchObject({ state: 'rejected', reason_code: code, content_key: null, records: 0 });
      const { head, faults } = await readNotice(world, file, 'nak');
      expect(head).toMatchObject({ Status: 'REJECTED', Code: code });
      expect(faults).toEqual([expect.objectContaining(sayingOf(code))]);
      expect(await readOriginal(world, file)).toEqual(messages[index]![1]);
    }
    expect(await fileNamed(world, 'beside.csv')).toMatchObject({ state: 'completed' });
    expect(await leftOver(world)).toEqual([]);
  });
});

it('no number that came encrypted lies on a disk, in the ledger or in the log', async () => {
  const { paths, folders } = world.settings;
  const places = [paths.data, paths.out, paths.quarantine, ...folders.map((folder) => folder.path)];
  expect(await findCanaries(places, [CARD])).toEqual([]);
  expect(await ledgerText(world)).not.toContain(CARD);
  expect(log.text()).not.toContain(CARD);
});

function changed(message: Buffer): Buffer {
  const bytes = Buffer.from(message);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  return bytes;
}
