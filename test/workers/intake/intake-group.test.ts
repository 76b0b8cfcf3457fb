import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { QueueName } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { INTAKE, intakeFile } from '../../../workers/intake/intake.ts';
import { runOnce } from '../../../workers/stage.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { endWait } from '../support/stage-steps.ts';
import { claimContent, query } from '../support/story.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { beginReading } from '../../../src/ledger/file/count-readings.ts';
import { ThreadDeath } from '../../../src/thread/open-thread.ts';
import { MOST_DEATHS, poisonGuard } from '../../../workers/intake/poison-guard.ts';

const world = stepWorld({ accounts: 16 });

let rows = 0;

/** Claims one file in each of these accounts, of as many rows as given. */
async function claimedIn(accounts: readonly string[], sizes: readonly number[] = []): Promise<string[]> {
  const ids: string[] = [];
  for (const [place, account] of accounts.entries()) {
    const from = rows + 1;
    rows += sizes[place] ?? 1;
    ids.push(await claimed(account, `${rows}.csv`, lines(upTo(rows + 1 - from).map((n) => achRow(from - 1 + n)))));
  }
  return ids;
}

async function claimed(account: string, name: string, content: string): Promise<string> {
  const claim = await claimContent(world.app, `drop/${account}/ach-charge`, name, content);
  await takeClaim(world.app, claim);
  return claim.fileId;
}

/** Returns the world's app and the rings for its stages, with the site. */
function watched(app = world.app) {
  const rings: [QueueName, string | undefined][] = [];
  const ring: App['queue']['ring'] = async (name, site) => void rings.push([name, site]);
  return { app: { ...app, queue: { ...app.queue, ring } }, rings };
}

const statesOf = (fileIds: readonly string[]) =>
  Promise.all(fileIds.map((fileId) => readFileState(world.app.ledger, fileId)));

/** Returns these files in the order in which they were decided. */
function decided(fileIds: readonly string[]): unknown[] {
  const checked = world.logged.filter((line) => line.msg === 'file checked');
  return checked.map((line) => line['fileId']).filter((fileId) => fileIds.includes(fileId as string));
}

describe('INTAKE', () => {
  it('takes in all files of a group, and rings once for their batches and once for their notices', async () => {
    const [one, other] = [world.freshAccount(), world.freshAccount()];
    const files = await claimedIn([one, one, other]);
    const { app, rings } = watched();
    expect(await runOnce(app, INTAKE)).toBe(3);
    expect(await statesOf(files)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(rings).toEqual([
      ['submit', undefined],
      ['deliver', world.app.settings.site],
    ]);
    expect(await runOnce(app, INTAKE)).toBe(0);
  });

  it('rings for notices alone when no file has a batch to send', async () => {
    const fileId = await claimed(world.freshAccount(), 'none.csv', 'no payment\n');
    const { app, rings } = watched();
    await runOnce(app, INTAKE);
    expect(await statesOf([fileId])).toEqual(['rejected']);
    expect(rings.map(([name]) => name)).toEqual(['deliver']);
  });

  it('leaves what exceeds a group to the next one, in the order of the claims', async () => {
    const account = world.freshAccount();
    const files = await claimedIn(upTo(INTAKE.most.things + 2).map(() => account));
    expect(await runOnce(world.app, INTAKE)).toBe(INTAKE.most.things);
    expect(decided(files)).toEqual(files.slice(0, INTAKE.most.things));
    expect(await runOnce(world.app, INTAKE)).toBe(2);
    expect(decided(files)).toEqual(files);
  });

  it('decides files in the order of their claims, though it reads some at a time and a later one is shorter', async () => {
    const account = world.freshAccount();
    const files = await claimedIn([account, account, account, account], [400, 1, 200, 1]);
    await runOnce(world.app, INTAKE);
    expect(await statesOf(files)).toEqual(files.map(() => 'accepted'));
    expect(decided(files)).toEqual(files);
  });

  it('accepts the first of several with the same bytes, and refuses the others as its duplicates', async () => {
    const account = world.freshAccount();
    const content = lines([achRow(1), achRow(2)]);
    const files: string[] = [];
    for (const name of ['a.csv', 'b.csv', 'c.csv']) files.push(await claimed(account, name, content));
    const [first, ...others] = files;
    await runOnce(world.app, INTAKE);
    expect(await statesOf(files)).toEqual(['accepted', 'rejected', 'rejected']);
    const duplicates = await world.query('SELECT duplicate_of FROM file WHERE file_id = ANY ($1)', [others]);
    expect(duplicates).toEqual([{ duplicate_of: first }, { duplicate_of: first }]);
  });

  it('goes on with the others when one fails, leaves that one alone for a while, and then takes it again', async () => {
    const account = world.freshAccount();
    const files = await claimedIn([account, account]);
    const { app, rings } = watched(cutAtStatement(world.app, /COPY payment_row/).app);
    expect(await runOnce(app, INTAKE)).toBe(2);
    // Both are read at the same time, so either may be cut.
    const states = await statesOf(files);
    expect(states.toSorted()).toEqual(['accepted', 'claimed']);
    const cut = files[states.indexOf('claimed')]!;
    expect(rings.map(([name]) => name)).toEqual(['submit', 'deliver']);
    expect(await world.query('SELECT 1 FROM payment_row JOIN file USING (file_no) WHERE file_id = $1', [cut])).toEqual(
      [],
    );
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'error', fileId: cut, stage: 'intake', reason: POWER_CUT }),
    );
    expect(await runOnce(world.app, INTAKE)).toBe(0);
    await endWait(world.app, 'intake', cut);
    expect(await runOnce(world.app, INTAKE)).toBe(1);
    expect(await statesOf(files)).toEqual(['accepted', 'accepted']);
  });

  it('begins no further file once it is to stop, and gives back the rest at once', async () => {
    const files = await claimedIn([world.freshAccount()]);
    expect(await runOnce(world.app, INTAKE, AbortSignal.abort())).toBe(1);
    expect(await statesOf(files)).toEqual(['claimed']);
    expect(await runOnce(world.app, INTAKE)).toBe(1);
    expect(await statesOf(files)).toEqual(['accepted']);
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
