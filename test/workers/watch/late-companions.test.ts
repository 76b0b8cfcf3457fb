import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { findSendable } from '../../support/due-work.ts';
import { readOpenLate } from '../../../src/ledger/file/late-arrivals.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { achRow, CARD, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { claimContent } from '../support/story.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

/** Tests markers and control files that come after their payment file was taken. */
const world = stepWorld({ accounts: 16 });
const ROWS = lines([achRow(1), achRow(2)]);

function freshFolder(): string {
  return `drop/${world.freshAccount()}/ach-charge`;
}

/** Scans a folder until everything in it has come to rest. @returns what lies there afterwards */
async function lookUntilStill(folderId: string): Promise<string[]> {
  const app = { ...world.app, clock: handClock(world.app.clock.now()) };
  const folder = app.folder(folderId)!;
  const scanner = createFolderScanner(folder, app.clock);
  for (let look = 0; look < 3; look += 1) {
    await lookAtFolder(app, folder, scanner);
    app.clock.advance(10_000);
  }
  return readdir(folder.path);
}

async function put(folderId: string, name: string, text: string): Promise<void> {
  await writeFile(join(world.app.folder(folderId)!.path, name), text);
}

describe('a marker that comes late', () => {
  it('is removed, and no payment file', async () => {
    const folder = freshFolder();
    const fileId = await world.takeIn(folder, ROWS, 'june.csv');
    await put(folder, 'june.csv.DONE', '');
    expect(await lookUntilStill(folder)).toEqual([]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ fileId, msg: 'a marker came after its file was taken; it is removed' }),
    );
    expect(await world.query('SELECT name FROM file WHERE folder = $1', [folder])).toEqual([{ name: 'june.csv' }]);
  });

  it.each([
    ['belongs to no file', 'july.csv.done', ''],
    ['has content', 'june.csv.done', ROWS],
  ])('stays when it %s', async (_what, name, text) => {
    const folder = freshFolder();
    await world.takeIn(folder, ROWS, 'june.csv');
    await put(folder, name, text);
    expect(await lookUntilStill(folder)).toEqual([name]);
  });
});

describe('a control file that comes late', () => {
  it('holds the unsent batches when it does not match', async () => {
    const folder = freshFolder();
    const fileId = await world.takeIn(folder, ROWS, `june ${CARD}.csv`);
    const { account } = await world.file(fileId);
    expect(await findSendable(world.app.ledger, account)).toHaveLength(1);
    await put(folder, `june ${CARD}.csv.ctl`, 'rows=99\ntotal=50.00\n');
    expect(await lookUntilStill(folder)).toEqual([]);
    expect(await readOpenLate(world.app.ledger, [fileId])).toMatchObject([
      { says: 'its control file came late and does not match: it says 99 rows, the file has 2' },
    ]);
    expect(await findSendable(world.app.ledger, account)).toEqual([]);
  });

  it('is noted and removed when it matches', async () => {
    const folder = freshFolder();
    const fileId = await world.takeIn(folder, ROWS, 'june.csv');
    await put(folder, 'june.csv.ctl', 'rows=2\ntotal=50.00\n');
    expect(await lookUntilStill(folder)).toEqual([]);
    expect(await readOpenLate(world.app.ledger, [fileId])).toEqual([]);
    expect(await world.movesOf({ fileId })).toEqual(['claim', 'accept', 'late-control']);
  });

  it('counts withheld rows like a control file that came in time', async () => {
    const folder = freshFolder();
    const content = lines([...Array.from({ length: 10 }, (_, n) => achRow(n + 1)), achRow(11, { invoice: '' })]);
    const fileId = await world.takeIn(folder, content, 'june.csv');
    expect(await world.file(fileId)).toMatchObject({ state: 'accepted', invalid_rows: 1 });
    await put(folder, 'june.csv.ctl', 'rows=11\ntotal=275.00\n');
    await lookUntilStill(folder);
    expect(await readOpenLate(world.app.ledger, [fileId])).toEqual([]);
  });

  it('is compared by intake when the file is not decided yet', async () => {
    const folder = freshFolder();
    const claim = await claimContent(world.app, folder, 'june.csv', ROWS);
    await takeClaim(world.app, claim);
    await put(folder, 'june.csv.ctl', 'rows=99\n');
    expect(await lookUntilStill(folder)).toEqual([]);
    await intakeFile(world.app, claim);
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'held', reason_code: 'CONTROL_TOTALS' });
  });

  it('says nothing about a file that was refused', async () => {
    const folder = freshFolder();
    const fileId = await world.takeIn(folder, 'I-1,too,few\n', 'june.csv');
    await put(folder, 'june.csv.ctl', 'rows=99\n');
    expect(await lookUntilStill(folder)).toEqual([]);
    expect(await readOpenLate(world.app.ledger, [fileId])).toEqual([]);
  });

  it.each([
    ['belongs to no file', 'july.csv.ctl', 'rows=2\n'],
    ['cannot be read', 'june.csv.ctl', 'rows=many\n'],
  ])('stays when it %s', async (_what, name, text) => {
    const folder = freshFolder();
    await world.takeIn(folder, ROWS, 'june.csv');
    await put(folder, name, text);
    expect(await lookUntilStill(folder)).toEqual([name]);
  });

  it('is that of the next file when its namesake had one, or was taken long ago', async () => {
    const folder = freshFolder();
    await put(folder, 'june.csv.ctl', 'rows=2\n');
    const fileId = await world.takeIn(folder, ROWS, 'june.csv');
    await put(folder, 'june.csv.ctl', 'rows=3\n');
    expect(await lookUntilStill(folder)).toEqual(['june.csv.ctl']);
    await world.query('UPDATE file SET control = NULL, claimed_at = claimed_at - $2::interval WHERE file_id = $1', [
      fileId,
      '25 hours',
    ]);
    expect(await lookUntilStill(folder)).toEqual(['june.csv.ctl']);
    expect(await world.movesOf({ fileId })).toEqual(['claim', 'accept']);
  });
});

it('a companion whose file has just come is left to it', async () => {
  const folder = freshFolder();
  const path = join(world.app.folder(folder)!.path, 'june.csv');
  await world.takeIn(folder, ROWS, 'june.csv');
  await writeFile(path, lines([achRow(7)]));
  await utimes(path, 4_000_000_000, 4_000_000_000);
  await put(folder, 'june.csv.ctl', 'rows=1\n');
  await lookUntilStill(folder);
  expect(
    await world.query('SELECT 1 FROM late_arrival l JOIN file f USING (file_id) WHERE f.folder = $1', [folder]),
  ).toEqual([]);
  await rm(path, { force: true });
});
