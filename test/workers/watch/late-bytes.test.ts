import { existsSync } from 'node:fs';
import { appendFile, type FileHandle, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { App } from '../../../src/app.ts';
import { openSealedFile } from '../../../src/crypto/archive.ts';
import { readNeeds } from '../../../src/explain/needs-you.ts';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { retiredPath } from '../../../src/files/claims/retire-claim.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { findLastingCauses } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { findSendable } from '../../support/due-work.ts';
import { acknowledgeLate, readOpenLate } from '../../../src/ledger/file/late-arrivals.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { openFileKey } from '../../../workers/open-original.ts';
import { lookAtAllRetired } from '../../../workers/watch/late-bytes.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { beforeStatement, stepWorld } from '../support/step-world.ts';
import { claimContent } from '../support/story.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

/** Tests what happens to bytes that a sender writes into a file after it was taken, whatever said that it was whole. */
const world = stepWorld({ accounts: 14 });
const WHY = { actor: 'operator:ada', reason: 'the sender drops the rest again' };
const [FIRST, REST] = [lines([achRow(1), achRow(2)]), lines([achRow(3)])];

/** A sender that still has its file open when it is taken. */
async function taken(content = FIRST): Promise<{ account: string; claim: Claim; sender: FileHandle }> {
  const account = world.freshAccount();
  const claim = await claimContent(world.app, `drop/${account}/ach-charge`, 'june.csv', content);
  const sender = await open(claim.path, 'r+');
  onTestFinished(() => sender.close());
  await takeClaim(world.app, claim);
  return { account, claim, sender };
}

async function lateOf({ fileId }: Claim) {
  const rows = await world.query<{ kind: string; bytes: number; archive: string | null; says: string | null }>(
    'SELECT kind, bytes::int AS bytes, archive, says FROM late_arrival WHERE file_id = $1 ORDER BY late_no',
    [fileId],
  );
  return rows;
}

async function openLate(claim: Claim, archive: string | null): Promise<string> {
  const key = openFileKey(world.app, await world.file(claim.fileId));
  return text(openSealedFile(join(world.app.settings.paths.archive, archive!), key, 'late'));
}

describe('bytes that come after a file was accepted', () => {
  it('hold its batches, are kept sealed, and are shown until a person decides', async () => {
    const { account, claim, sender } = await taken();
    await intakeFile(world.app, claim);
    expect(await findSendable(world.app.ledger, account)).toHaveLength(1);
    expect((await stat(retiredPath(claim.workDir))).size).toBe(0);

    await sender.write(REST, FIRST.length);
    await lookAtAllRetired(world.app);
    const says = `${REST.length} bytes were written into the file after it was taken`;
    const late = await lateOf(claim);
    expect(late).toEqual([{ kind: 'bytes', bytes: REST.length, archive: expect.any(String), says }]);
    expect(await openLate(claim, late[0]!.archive)).toBe(REST);
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'accepted', valid_rows: 2 });
    expect(await findSendable(world.app.ledger, account)).toEqual([]);
    expect(await findLastingCauses(world.app.ledger)).toContainEqual({
      kind: 'came_late',
      subject: claim.fileId,
      account,
      figures: { fileId: claim.fileId, rows: 2, cents: 5_000, says },
    });
    expect(await readNeeds(world.app.ledger, world.settings, 'operator:ada')).toContainEqual(
      expect.objectContaining({ kind: 'late', fileId: claim.fileId, says }),
    );

    await acknowledgeLate(world.app.ledger, claim.fileId, WHY);
    expect(await findSendable(world.app.ledger, account)).toHaveLength(1);
    expect(await readOpenLate(world.app.ledger, [claim.fileId])).toEqual([]);
    expect(await world.movesOf(claim)).toEqual(['claim', 'accept', 'late-bytes', 'acknowledge-late']);
    await expect(acknowledgeLate(world.app.ledger, claim.fileId, WHY)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('are noticed each time, also from a writer that appends', async () => {
    const { claim } = await taken();
    await intakeFile(world.app, claim);
    await lookAtAllRetired(near(world.app));
    for (const more of [REST, lines([achRow(4)])]) {
      await appendFile(retiredPath(claim.workDir), more);
      await lookAtAllRetired(near(world.app));
    }
    const contents = await Promise.all((await lateOf(claim)).map(({ archive }) => openLate(claim, archive)));
    expect(contents).toEqual([REST, lines([achRow(4)])]);
  });

  it('do not keep the other files of the account waiting', async () => {
    const { account, claim, sender } = await taken();
    await intakeFile(world.app, claim);
    await sender.write(REST, FIRST.length);
    await lookAtAllRetired(world.app);
    const next = await world.takeInCharges(account, 2, 50);
    expect(await findSendable(world.app.ledger, account)).toEqual([{ fileId: next, batchNo: 1 }]);
  });

  it('are noticed once by two processes that look at the same time', async () => {
    const { claim, sender } = await taken();
    await intakeFile(world.app, claim);
    await sender.write(REST, FIRST.length);
    await Promise.all([lookAtAllRetired(world.app), lookAtAllRetired(world.app)]);
    expect(await lateOf(claim)).toHaveLength(1);
  });
});

describe('bytes that come while a file is read', () => {
  it('hold it when they come before its verdict', async () => {
    const { claim, sender } = await taken();
    const app = once(/INTO forgotten|fingerprint_volume|batch/i, () => sender.write(REST, FIRST.length));
    await intakeFile(app, claim);
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'held', reason_code: 'MODIFIED_AFTER_CLAIM' });
    expect(await openLate(claim, (await lateOf(claim))[0]!.archive)).toBe(FIRST + REST);
  });

  it('hold its batches when they come right after it', async () => {
    const { account, claim, sender } = await taken();
    await intakeFile(
      once(/commit_intake/, () => sender.write(REST, FIRST.length)),
      claim,
    );
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'accepted' });
    expect(await lateOf(claim)).toMatchObject([{ kind: 'bytes', bytes: (FIRST + REST).length }]);
    expect(await findSendable(world.app.ledger, account)).toEqual([]);
  });

  it('are decided about with the approval of the file that they hold', async () => {
    const { account, claim, sender } = await taken();
    await sender.write(REST, FIRST.length);
    await intakeFile(world.app, claim);
    expect(await readOpenLate(world.app.ledger, [claim.fileId])).toHaveLength(1);
    await approveFile(world.app.ledger, claim.fileId, WHY);
    expect(await readOpenLate(world.app.ledger, [claim.fileId])).toEqual([]);
    expect(await findSendable(world.app.ledger, account)).toHaveLength(1);
  });

  it('are kept of a file that was refused', async () => {
    const { claim, sender } = await taken('I-1,too,few\n');
    await intakeFile(world.app, claim);
    await sender.write('columns', 0);
    await lookAtAllRetired(world.app);
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'rejected' });
    expect(await lateOf(claim)).toMatchObject([{ bytes: 7 }]);
  });
});

describe('a retired file', () => {
  it('is emptied when a process died before it did so, and nothing came late', async () => {
    const { claim } = await taken();
    await intakeFile(world.app, claim);
    await writeFile(retiredPath(claim.workDir), FIRST);
    await lookAtAllRetired(near(world.app));
    expect(await readFile(retiredPath(claim.workDir), 'utf8')).toBe('');
    expect(await lateOf(claim)).toEqual([]);
  });

  it.each([
    ['stays for an hour', 3_500_000, true],
    ['is removed after it', 3_700_000, false],
    ['is removed when the clock was set back', -3_700_000, false],
  ])('%s', async (_what, aheadMs, isThere) => {
    const { claim } = await taken();
    await intakeFile(world.app, claim);
    await lookAtAllRetired(near(world.app, aheadMs));
    expect(existsSync(retiredPath(claim.workDir))).toBe(isThere);
  });

  it('goes to quarantine when the ledger does not know it', async () => {
    const { claim } = await taken();
    await intakeFile(world.app, claim);
    const stranger = join(retiredPath(claim.workDir), '..', '0123456789abcdef');
    await writeFile(stranger, FIRST);
    await lookAtAllRetired(near(world.app));
    expect(existsSync(stranger)).toBe(false);
    expect(world.logged.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('the ledger does not know'));
  });
});

/** Returns an app whose clock shows the time of the file system, or is so much ahead of it. */
function near(app: App, aheadMs = 0): App {
  return { ...app, clock: handClock(new Date(Date.now() + aheadMs)) };
}

/** Returns an app in which the first matching statement waits for `act`. */
function once(sql: RegExp, act: () => Promise<unknown>): App {
  let isDone = false;
  return beforeStatement(world.app, sql, () => {
    if (isDone) return undefined;
    isDone = true;
    return act().then(() => undefined);
  });
}
