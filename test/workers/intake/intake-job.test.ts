import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.ts';
import { readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { intakeFile, runIntakeJob } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { claimContent, query } from '../support/story.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { beginReading } from '../../../src/ledger/file/count-readings.ts';
import { ThreadDeath } from '../../../src/thread/open-thread.ts';
import { MOST_DEATHS, poisonGuard } from '../../../workers/intake/poison-guard.ts';

const world = stepWorld({ accounts: 13 });

const GOING_ON = new AbortController().signal;
let rows = 0;

/** Claims one file in each of these accounts. */
async function claimedIn(...accounts: string[]): Promise<[string, ...string[]]> {
  const ids: string[] = [];
  for (const account of accounts) {
    rows += 1;
    const content = lines([achRow(rows)]);
    const claim = await claimContent(world.app, `drop/${account}/ach-charge`, `${rows}.csv`, content);
    await takeClaim(world.app, claim);
    ids.push(claim.fileId);
  }
  return ids as [string, ...string[]];
}

/** Returns the world's app and the jobs it adds. */
function watched(app = world.app) {
  const asks: { name: string; data: unknown }[] = [];
  const add: App['queue']['add'] = async (name, _id, data) => void asks.push({ name, data });
  return { app: { ...app, queue: { ...app.queue, add } }, asks };
}

const statesOf = (fileIds: readonly string[]) =>
  Promise.all(fileIds.map((fileId) => readFileState(world.app.ledger, fileId)));

// On a busy machine a moment may be long.

describe('runIntakeJob', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('takes in all files of its job and asks for what follows together', async () => {
    const [one, other] = [world.freshAccount(), world.freshAccount()];
    const [fileId, ...more] = await claimedIn(one, one, other);
    const { app, asks } = watched();
    await runIntakeJob(app, { fileId, more }, GOING_ON);
    expect(await statesOf([fileId, ...more])).toEqual(['accepted', 'accepted', 'accepted']);
    expect(asks).toEqual([
      { name: 'submit', data: { fileId, batchNo: 1 } },
      { name: 'submit', data: { fileId: more[1], batchNo: 1 } },
      { name: 'deliver', data: { fileId, more } },
    ]);
  });

  it('asks for the rest when its time is over, and for what follows the others', async () => {
    const account = world.freshAccount();
    const [fileId, ...more] = await claimedIn(account, account, account);
    const { app, asks } = watched();
    await runIntakeJob(app, { fileId, more }, GOING_ON, 0);
    expect(await statesOf([fileId, ...more])).toEqual(['accepted', 'claimed', 'claimed']);
    expect(asks).toEqual([
      { name: 'intake', data: { fileId: more[0], more: [more[1]] } },
      { name: 'submit', data: { fileId, batchNo: 1 } },
      { name: 'deliver', data: { fileId } },
    ]);
  });

  it('decides files in their order, however many it reads at a time', async () => {
    const account = world.freshAccount();
    const content = lines([achRow(1), achRow(2)]);
    const ids: string[] = [];
    for (const name of ['a.csv', 'b.csv', 'c.csv']) {
      const claim = await claimContent(world.app, `drop/${account}/ach-charge`, name, content);
      await takeClaim(world.app, claim);
      ids.push(claim.fileId);
    }
    const [fileId, ...more] = ids as [string, ...string[]];
    await runIntakeJob(watched().app, { fileId, more }, GOING_ON);
    expect(await statesOf(ids)).toEqual(['accepted', 'rejected', 'rejected']);
    const duplicates = await world.query('SELECT duplicate_of FROM file WHERE file_id = ANY ($1)', [more]);
    expect(duplicates).toEqual([{ duplicate_of: fileId }, { duplicate_of: fileId }]);
  });

  it('asks for what follows the good files when one fails', async () => {
    const account = world.freshAccount();
    const files = await claimedIn(account, account);
    const [fileId, ...more] = files;
    const { app, asks } = watched(cutAtStatement(world.app, /COPY payment_row/).app);
    await expect(runIntakeJob(app, { fileId, more }, GOING_ON)).rejects.toThrow(POWER_CUT);
    // Both are read at the same time, so either may be cut.
    const states = await statesOf(files);
    expect(states.toSorted()).toEqual(['accepted', 'claimed']);
    const good = files[states.indexOf('accepted')]!;
    const cut = files[states.indexOf('claimed')]!;
    expect(asks).toEqual([
      { name: 'submit', data: { fileId: good, batchNo: 1 } },
      { name: 'deliver', data: { fileId: good } },
    ]);
    expect(await world.query('SELECT 1 FROM payment_row JOIN file USING (file_no) WHERE file_id = $1', [cut])).toEqual(
      [],
    );
  });
});

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
      reason: expect.stringContaining('each of 3 attempts to read the file crashed the program'),
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
