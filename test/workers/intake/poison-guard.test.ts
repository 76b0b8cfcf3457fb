import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { beginReading } from '../../../src/ledger/file/count-readings.ts';
import { readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { ThreadDeath } from '../../../src/thread/open-thread.ts';
import { poisonGuard, MOST_DEATHS } from '../../../workers/intake/poison-guard.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';
import { claimContent } from '../support/take-in.ts';

const world = stepWorld({ accounts: 1 });
let app: App;
let folder: string;
beforeAll(() => {
  app = world.app;
  folder = `drop/${world.freshAccount()}/ach-charge`;
});

/** Imitates this many processes that died while reading the file. */
async function die(fileId: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await beginReading(app.ledger, fileId);
}

async function guard(fileId: string, read = async () => {}): Promise<string> {
  let said = 'gave up';
  const reading = async () => {
    said = 'read';
    await read();
  };
  await poisonGuard(app, fileId, { read: reading, giveUp: async () => {} });
  return said;
}

async function countOf(fileId: string): Promise<number> {
  const rows = await query<{ begun: number }>(app, 'SELECT begun FROM reading WHERE file_id = $1', [fileId]);
  return rows[0]?.begun ?? 0;
}

let made = 0;
function content(): string {
  made += 1;
  return lines([achRow(made)]);
}

describe('poisonGuard', () => {
  it('gives up at the third death and not before', async () => {
    expect(MOST_DEATHS).toBe(3);
    for (const [deaths, said] of [
      [0, 'read'],
      [2, 'read'],
      [3, 'gave up'],
      [4, 'gave up'],
    ] as const) {
      await die(`file-${deaths}`, deaths);
      expect(await guard(`file-${deaths}`), `${deaths} deaths`).toBe(said);
      // Only `read` itself clears the count, with what it writes.
      expect(await countOf(`file-${deaths}`)).toBe(said === 'read' ? deaths + 1 : 0);
    }
  });

  it('has written the count down before the first byte is read', async () => {
    let during = 0;
    await guard('counted', async () => {
      during = await countOf('counted');
    });
    expect(during).toBe(1);
  });

  it('takes an error for no death, however often it comes, and hands it on', async () => {
    const failure = new Error('the disk is full');
    for (let time = 0; time < 5; time += 1)
      await expect(guard('failing', () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await guard('failing')).toBe('read');
  });

  it('counts the death of the thread that reads, though the process lives on', async () => {
    const death = new ThreadDeath('INTERNAL', 'finish the work of a thread', 'it wanted too much memory');
    for (let time = 0; time < MOST_DEATHS; time += 1)
      await expect(guard('deadly', () => Promise.reject(death))).rejects.toBe(death);
    expect(await guard('deadly')).toBe('gave up');
  });
});

describe('a claim that no process survives', () => {
  it('is held unread when it dies at the intake; it cannot be approved, only declined, and comes again as a new file', async () => {
    const bytes = content();
    const claim = await claimContent(app, folder, 'poison.csv', bytes);
    await takeClaim(app, claim);
    await die(claim.fileId, MOST_DEATHS);
    await intakeFile(app, { fileId: claim.fileId });
    expect(await readFileRow(app.ledger, claim.fileId)).toMatchObject({
      state: 'held',
      reason_code: 'POISON_FILE',
      reason: expect.stringContaining('each of 3 tries to read the file ended the program'),
      records: 0,
    });
    await expect(stat(claim.workDir)).rejects.toMatchObject({ code: 'ENOENT' });
    const because = { actor: 'operator:ada', reason: 'to see' };
    await expect(approveFile(app.ledger, claim.fileId, because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await declineFile(app.ledger, claim.fileId, because);

    const again = await claimContent(app, folder, 'poison.csv', bytes);
    await takeClaim(app, again);
    await intakeFile(app, { fileId: again.fileId });
    expect(await readFileState(app.ledger, again.fileId)).toBe('accepted');
  });

  it('is set aside with its notes when it dies before the ledger knows it', async () => {
    const claim = await claimContent(app, folder, 'deadly.csv', content());
    await die(claim.fileId, MOST_DEATHS);
    await takeClaim(app, claim);
    expect(await readFileState(app.ledger, claim.fileId)).toBeUndefined();
    await expect(stat(claim.workDir)).rejects.toMatchObject({ code: 'ENOENT' });
    const { quarantine } = app.settings.paths;
    const [dir] = await readdir(quarantine);
    const reason = JSON.parse(await readFile(join(quarantine, dir!, 'reason.json'), 'utf8'));
    expect(reason).toMatchObject({ code: 'DROP_POISON', name: 'deadly.csv', from: folder });
    expect((await readdir(join(quarantine, dir!, 'drop'))).sort()).toEqual(['claim.json', 'original']);
  });
});
