import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { checkArrival } from '../../../workers/intake/check-arrival.ts';
import { checkKeys } from '../../../workers/watch/check-folders.ts';
import { encrypt, makeKey, type TestKey, writeKey } from '../../support/openpgp.ts';
import { achRow, CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { cutAfterVerdict, openStepWorld, stepWorld } from '../support/step-world.ts';
import { claimContent, openProfileFolder, PROFILE_TITLES } from '../support/story.ts';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { originalPath } from '../../../workers/open-original.ts';
import { destroyForGood, destroySealedFile, wasDestroyed } from '../../../src/crypto/archive.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { holdProfile } from '../../../src/ledger/profile/read-profiles.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { PROFILE_TEXT, putConfirmed } from '../../ledger/support/put-version.ts';
import { deliverFile, intakeFile, takeClaim } from '../../support/work-alone.ts';

const ROWS = lines(upTo(3).map((n) => achRow(n)));

let dir: string;
let own: TestKey;
let sender: TestKey;
const world = openedForTests(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-arrival-'));
  [own, sender] = await Promise.all([makeKey(), makeKey()]);
  const openpgp = {
    key: await writeKey(dir, 'own.asc', own.privateKey.armor()),
    senders: [await writeKey(dir, 'sender.asc', sender.publicKey.armor())],
  };
  const broken = { key: await writeKey(dir, 'broken.asc', 'no key') };
  return openStepWorld({ accounts: 8, special: { secret: { openpgp }, broken: { openpgp: broken } } });
});
afterAll(() => rm(dir, { recursive: true }));

async function claimed(account: string, name: string, content: string | Buffer): Promise<FileRow> {
  const claim = await claimContent(world.app, `drop/${account}/ach-charge`, name, content);
  await takeClaim(world.app, claim);
  return world.file(claim.fileId);
}

const folderOf = (file: FileRow, encryption: 'required' | 'optional' = 'optional') => ({
  ...world.app.folder(file.folder)!,
  encryption,
});

describe('checkArrival', () => {
  it('knows a plain file, which a folder may refuse', async () => {
    const file = await claimed('secret', 'plain.csv', ROWS);
    expect(await checkArrival(world.app, file, folderOf(file))).toEqual({ is: 'plain' });
    expect(await checkArrival(world.app, file, folderOf(file, 'required'))).toEqual({
      is: 'refused',
      code: 'PGP_PLAIN',
    });
  });

  it('knows a message, what is in it and who signed it', async () => {
    const file = await claimed('secret', 'june.csv.pgp', await encrypt(ROWS, { to: own, by: sender }));
    expect(await checkArrival(world.app, file, folderOf(file, 'required'))).toEqual({
      is: 'message',
      message: {
        sha256: sha256Of(ROWS),
        bytes: ROWS.length,
        signedBy: sender.publicKey.getFingerprint().toUpperCase(),
      },
      contentKey: expect.any(Buffer),
    });
  });

  it('refuses what is wrong with a message, one too large before it is opened', async () => {
    const file = await claimed('secret', 'unsigned.csv.pgp', await encrypt(ROWS, { to: own }));
    expect(await checkArrival(world.app, file, folderOf(file))).toEqual({ is: 'refused', code: 'PGP_UNSIGNED' });
    expect(await checkArrival(world.app, file, { ...folderOf(file), maxBytes: 10 })).toEqual({
      is: 'refused',
      code: 'FILE_TOO_LARGE',
      detail: `${file.bytes} bytes, at most 10`,
    });
  });

  it('refuses a message where there is no key', async () => {
    const file = await claimed(world.freshAccount(), 'june.csv.pgp', await encrypt(ROWS, { to: own, by: sender }));
    expect(await checkArrival(world.app, file, folderOf(file))).toEqual({ is: 'refused', code: 'PGP_NO_KEY' });
  });

  it('takes the plain file that we made ourselves of rows of another', async () => {
    const earlier = await world.file(await world.takeIn('drop/secret/ach-charge', lines([achRow(7)]), 'earlier.csv'));
    await world.query("UPDATE batch SET state = 'cancelled' WHERE file_id = $1", [earlier.file_id]);
    await world.query("UPDATE file SET state = 'cancelled' WHERE file_id = $1", [earlier.file_id]);
    const content = lines([achRow(7)]).replace('\n', '\r\n');
    const made = { name: 'again.csv', sha256: sha256Of(content), lines: [1], cents: 2_500 };
    await recordResubmission(world.app.ledger, earlier, made, { actor: 'operator:ada', reason: 'again' });
    const file = await claimed('secret', 'again.csv', content);
    expect(await checkArrival(world.app, file, folderOf(file, 'required'))).toEqual({ is: 'plain' });
  });
});

describe('intakeFile, for the same rows encrypted several times', () => {
  it('accepts one of them when all are taken in at the same moment', async () => {
    const rows = lines(upTo(3).map((n) => achRow(100 + n)));
    const files: FileRow[] = [];
    for (const name of ['one.csv.pgp', 'two.csv.pgp', 'three.csv.pgp'])
      files.push(await claimed('secret', name, await encrypt(rows, { to: own, by: sender })));
    await Promise.all(files.map((file) => intakeFile(world.app, { fileId: file.file_id })));
    const after = await Promise.all(files.map((file) => world.file(file.file_id)));
    const accepted = after.filter((file) => file.state === 'accepted');
    expect(accepted).toHaveLength(1);
    expect(new Set(files.map((file) => file.sha256)).size).toBe(3);
    for (const file of after.filter((one) => one !== accepted[0]))
      expect(file).toMatchObject({ reason_code: 'DUPLICATE_FILE', duplicate_of: accepted[0]!.file_id });
  });
});

describe('a key of ours that cannot be used', () => {
  it('is said at start, and before that lets the file wait', async () => {
    await expect(checkKeys(world.app)).rejects.toMatchObject({ code: 'PGP_KEY' });
    const file = await claimed('broken', 'june.csv.pgp', await encrypt(ROWS, { to: own, by: sender }));
    await expect(intakeFile(world.app, { fileId: file.file_id })).rejects.toMatchObject({ code: 'PGP_KEY' });
    expect(await world.file(file.file_id)).toMatchObject({ state: 'claimed' });
  });
});

const CODES = lines(upTo(3).map((n) => `${cardRow(n)},737`));

/** Claims a file with a security code at the end of every row. */
async function claimedCodes(): Promise<Claim> {
  const claim = await claimContent(world.app, `drop/${world.freshAccount()}/card`, 'cvv.csv', CODES);
  await takeClaim(world.app, claim);
  return claim;
}

describe('intakeFile, for a file with security codes', () => {
  it('refuses it and keeps nothing that could open it', async () => {
    const claim = await claimedCodes();
    const before = await world.file(claim.fileId);
    expect(existsSync(originalPath(world.app, before))).toBe(true);
    await intakeFile(world.app, claim);
    const file = await world.file(claim.fileId);
    expect(file).toMatchObject({ state: 'rejected', reason_code: 'SECURITY_CODE', wrapped_key: null, row_set: null });
    expect(file.shredded_at).toEqual(file.state_at);
    expect(existsSync(originalPath(world.app, file))).toBe(false);
    expect(existsSync(claim.workDir)).toBe(false);
    expect(await world.movesOf(claim)).toEqual(['claim', 'reject', 'shred']);
  });

  it('destroys the sealed bytes after a crash between the verdict and that', async () => {
    const claim = await claimedCodes();
    const file = await world.file(claim.fileId);
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow('power cut');
    expect(existsSync(originalPath(world.app, file))).toBe(true);
    await intakeFile(world.app, claim);
    expect(existsSync(originalPath(world.app, file))).toBe(false);
    expect(existsSync(claim.workDir)).toBe(false);
  });

  it('refuses it again when the ledger has gone back to before it was read', async () => {
    const claim = await claimedCodes();
    const file = await world.file(claim.fileId);
    await destroySealedFile(originalPath(world.app, file));
    await expect(intakeFile(world.app, claim)).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
    await destroyForGood(originalPath(world.app, file));
    await intakeFile(world.app, claim);
    const again = await world.file(claim.fileId);
    expect(again).toMatchObject({ state: 'rejected', reason_code: 'SECURITY_CODE', wrapped_key: null });
    expect(await world.movesOf(claim)).toEqual(['claim', 'reject', 'shred']);
    expect(existsSync(claim.workDir)).toBe(false);
  });

  it('remembers in the archive that it was destroyed, whatever is removed later', async () => {
    const claim = await claimedCodes();
    await intakeFile(world.app, claim);
    const path = originalPath(world.app, await world.file(claim.fileId));
    await destroySealedFile(path);
    expect(wasDestroyed(path)).toBe(true);
  });

  it('leaves no number of the file in the ledger', async () => {
    const claim = await claimedCodes();
    await intakeFile(world.app, claim);
    const kept = await world.query(
      `SELECT invoice, customer_code, last_four, detail, value, reason
       FROM file JOIN payment_row USING (file_no) LEFT JOIN row_fault USING (file_no) WHERE file_id = $1`,
      [claim.fileId],
    );
    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toContain(CARD);
    expect(JSON.stringify(kept)).not.toContain('737');
  });
});

describe('intakeFile, by the profile of the folder', () => {
  const world = stepWorld({ accounts: 15 });
  const openFolder = (text?: string) => openProfileFolder(world, text);

  const BECAUSE = { actor: 'operator:ada', reason: 'compared with the books' };

  const ROWS = ['R-1,C001,June,25.00', 'R-2,C002,,30.00'];

  function faultsOf(fileId: string): Promise<{ code: string; line: number; detail: string | null }[]> {
    return world.query(
      'SELECT code, line, detail FROM row_fault JOIN file USING (file_no) WHERE file_id = $1 ORDER BY seq',
      [fileId],
    );
  }

  it('holds the first file of a version; approved, it is sent and delivered, and the next is accepted', async () => {
    const { app, drop } = await openFolder();
    const first = await drop(...ROWS);
    expect(await world.file(first)).toMatchObject({
      state: 'held',
      reason_code: 'PROFILE_FIRST_FILE',
      layout: 'card-code',
      records: 2,
      valid_cents: 5_500,
      profile_lines: { lines: { titles: 1, payment: 2 } },
    });
    await approveFile(app.ledger, first, BECAUSE);
    const second = await drop('R-3,C003,,1.00');
    expect(await world.file(second)).toMatchObject({ state: 'accepted', valid_cents: 100 });
    await deliverFile(app, { fileId: second });
    const notices = await world.query<{ name: string }>('SELECT name FROM output WHERE file_id = $1', [second]);
    const ack = await readFile(join(world.settings.paths.out, notices[0]!.name), 'utf8');
    expect(ack).toContain('ACCEPTED');
  });

  it('holds the whole file when one amount does not fit', async () => {
    const { drop } = await openFolder();
    const fileId = await drop(...ROWS, 'R-4,C004,,"1,200.00"');
    expect(await world.file(fileId)).toMatchObject({ state: 'held', valid_rows: 2, invalid_rows: 1 });
    expect((await faultsOf(fileId)).map(({ code, line }) => [code, line])).toContainEqual(['NUMBER_FORMAT', 4]);
  });

  it.each([
    ['Fee', 'TITLES_DIFFER', true],
    ['CVV', 'SECURITY_CODE', false],
  ] as const)('refuses a file with the column %s, and says which: %s, kept: %s', async (title, code, isKept) => {
    const { app, seen } = await openFolder();
    const rows = ROWS.map((row) => `${row},737`);
    const claimed = await seen(rows, `${PROFILE_TITLES},${title}`);
    await takeClaim(app, claimed);
    await intakeFile(app, claimed);
    const file = await world.file(claimed.fileId);
    expect(file).toMatchObject({ state: 'rejected', reason_code: code });
    expect((await faultsOf(claimed.fileId)).map(({ detail }) => detail).join()).toContain(`"${title}" came`);
    expect(existsSync(originalPath(world.app, file))).toBe(isKept);
  });

  it.each([
    ['reads it otherwise: it is held, with both totals', "decimal: ','", 'PROFILE_CHANGED'],
    ['reads it alike: it is the first file of the newer', "decimal: '.', group: ','", 'PROFILE_FIRST_FILE'],
  ])(
    'compares with the version before, when the file was seen before the newer was confirmed and it %s',
    async (_, to, code) => {
      const { app, name, seen } = await openFolder();
      const claimed = await seen(ROWS);
      await putConfirmed(app.ledger, name, PROFILE_TEXT.replace("decimal: '.'", to));
      await takeClaim(app, claimed);
      await intakeFile(app, claimed);
      expect(await world.file(claimed.fileId)).toMatchObject({ state: 'held' });
      const codes = (await faultsOf(claimed.fileId)).map((fault) => fault.code);
      expect(codes).toContain(code);
      expect(codes.includes('PROFILE_CHANGED')).toBe(code === 'PROFILE_CHANGED');
    },
  );

  it('compares with the version that the sender knew, when two were confirmed while the file waited', async () => {
    const { app, name, seen } = await openFolder();
    const claimed = await seen(ROWS);
    await putConfirmed(app.ledger, name, PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"));
    await putConfirmed(app.ledger, name, PROFILE_TEXT.replace("decimal: '.'", "decimal: ',', group: '.'"));
    await takeClaim(app, claimed);
    await intakeFile(app, claimed);
    const [changed] = (await faultsOf(claimed.fileId)).filter(({ code }) => code === 'PROFILE_CHANGED');
    expect(changed?.detail).toMatch(/^version 1: 2 payments, 55\.00; version 3: /);
  });

  it('holds what the version of the claim reads when its profile is retired before that, also after its first files', async () => {
    const folder = await openFolder();
    const first = await folder.drop('R-0,C001,,1.00');
    await approveFile(folder.app.ledger, first, BECAUSE);
    const fileId = await folder.claim(...ROWS);
    await retireVersion(folder.app.ledger, folder.version.profile_no, BECAUSE);
    await intakeFile(folder.app, { fileId });
    expect(await world.file(fileId)).toMatchObject({
      state: 'held',
      reason_code: 'PROFILE_RETIRED',
      valid_cents: 5_500,
    });
  });

  it('lets no version be retired between the reading and the decision', async () => {
    const { app, version, claim } = await openFolder();
    await claim(...ROWS);
    const retired = await transact(app.ledger, async (tx) => {
      await holdProfile(tx, version.profile_no);
      const retiring = retireVersion(app.ledger, version.profile_no, BECAUSE);
      expect(await Promise.race([retiring, delay(300, 'waits')])).toBe('waits');
      return { retiring };
    });
    expect(await retired.retiring).toMatchObject({ state: 'retired' });
  });
});
