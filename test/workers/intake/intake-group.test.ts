import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { QueueName } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { runOnce } from '../../../workers/stage.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { beforeStatement, cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { endWait } from '../support/stage-steps.ts';
import { claimContent, query } from '../support/story.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { beginReading, findBeingRead } from '../../../src/ledger/file/count-readings.ts';
import { ThreadDeath } from '../../../src/thread/open-thread.ts';
import { MOST_DEATHS, poisonGuard } from '../../../workers/intake/poison-guard.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

const world = stepWorld({
  accounts: 30,
  special: { limited: { limits: { dayTotal: 60 } }, paused: { limits: { dayTotal: 60 } } },
  folder: { sameTotals: 'warn' },
});

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

  it('decides files in the order of their claims, however long they are', async () => {
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

  it.each<[string, readonly (readonly string[])[], readonly (string | null)[]]>([
    [
      'a row of an earlier one',
      [[achRow(1), achRow(2)], [achRow(3, { amount: '9.00' })], [achRow(2), achRow(4), achRow(5)]],
      [null, null, 'CHARGED_BEFORE'],
    ],
    [
      'the rows of an earlier one in another order',
      [
        [achRow(1), achRow(2)],
        [achRow(2), achRow(1)],
      ],
      [null, 'SAME_ROWS'],
    ],
    ['a row of an earlier one, which is refused', [[achRow(1), 'A-2,too,short'], [achRow(1)]], ['COLUMN_COUNT', null]],
  ])('finds in a group %s', async (_what, contents, codes) => {
    const account = world.freshAccount();
    const files: string[] = [];
    for (const [place, content] of contents.entries())
      files.push(await claimed(account, `${place}.csv`, lines(content)));
    expect(await runOnce(world.app, INTAKE)).toBe(files.length);
    expect(await Promise.all(files.map(async (fileId) => (await world.file(fileId)).reason_code))).toEqual(codes);
    expect(await findBeingRead(world.app.ledger, files)).toEqual(new Set());
  });

  it('counts those before it in the group, where they have the same totals, and for the total of a day', async () => {
    const account = world.freshAccount();
    const files = [
      await claimed(account, 'one.csv', lines([achRow(1)])),
      await claimed(account, 'other.csv', lines([achRow(2)])),
    ];
    const limited: string[] = [];
    for (const n of [3, 4, 5])
      limited.push(await claimed('limited', `${n}.csv`, lines([achRow(n, { amount: `${n + 20}.00` })])));
    expect(await runOnce(world.app, INTAKE)).toBe(5);
    const faults = await world.query<{ file_id: string; code: string; detail: string }>(
      'SELECT file_id, code, detail FROM row_fault JOIN file USING (file_no) WHERE file_id = ANY ($1) ORDER BY file_no',
      [[...files, ...limited]],
    );
    expect(faults).toEqual([
      {
        file_id: files[1],
        code: 'SAME_TOTALS',
        detail: `1 row with a total of 25.00, as in "one.csv" (file ${files[0]})`,
      },
      { file_id: limited[2], code: 'LIMIT_DAY_TOTAL', detail: '25.00 and 47.00 accepted before, at most 60.00' },
    ]);
  });

  it('finds invoices that are line numbers of a file behind many that are refused', async () => {
    const account = world.freshAccount();
    const first = await claimed(account, 'first.csv', lines([achRow(1), achRow(2)]));
    for (const n of [10, 20]) await claimed(account, `${n}.csv`, lines([achRow(n)]));
    await runOnce(world.app, INTAKE);
    for (const n of upTo(18))
      await claimed(account, `refused-${n}.csv`, lines([achRow(100 + n, { amount: `${n}.00` }), `A-${n},short`]));
    const last = await claimed(account, 'last.csv', lines([1, 2].map((n) => achRow(n, { invoice: String(n) }))));
    expect(await runOnce(world.app, INTAKE)).toBe(19);
    expect(await world.file(last)).toMatchObject({
      state: 'held',
      reason_code: 'COLUMNS_SWAPPED',
      reason: expect.stringContaining(first),
    });
  });

  it('believes the clock for the second file of a group once the first has shown it after a long pause', async () => {
    const app = { ...world.app, askTime: async () => undefined };
    await claimed('paused', 'friday.csv', lines([achRow(1, { amount: '50.00' })]));
    await runOnce(app, INTAKE);
    await world.query(
      `UPDATE fingerprint_volume SET last_from = last_from - interval '3 days' WHERE merchant_no = merchant_of('paused')`,
    );
    await world.query(
      `UPDATE file SET (claimed_at, aged_from, accepted_at) = (claimed_at - interval '3 days', aged_from - interval '3 days', accepted_at - interval '3 days')
       WHERE account = 'paused'`,
    );
    const files = [
      await claimed('paused', 'monday.csv', lines([achRow(2, { amount: '4.00' })])),
      await claimed('paused', 'later.csv', lines([achRow(3, { amount: '30.00' })])),
    ];
    await runOnce(app, INTAKE);
    // By the day of the last file, the second would exceed the total of that day.
    expect(await statesOf(files)).toEqual(['accepted', 'accepted']);
  });

  it('goes on with the others when one fails, leaves that one alone for a while, and then takes it again', async () => {
    const account = world.freshAccount();
    const files = await claimedIn([account, account, account]);
    const [first, failing, last] = files as [string, string, string];
    const { archive } = await world.file(failing);
    const original = join(world.app.settings.paths.archive, archive);
    await rename(original, `${original}.away`);
    const { app, rings } = watched();
    expect(await runOnce(app, INTAKE)).toBe(3);
    expect(await statesOf(files)).toEqual(['accepted', 'claimed', 'accepted']);
    expect(rings.map(([name]) => name)).toEqual(['submit', 'deliver']);
    expect(decided([first, last])).toEqual([first, last]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'error', fileId: failing, msg: 'work failed' }),
    );
    expect(await findBeingRead(world.app.ledger, files)).toEqual(new Set());
    expect(await runOnce(world.app, INTAKE)).toBe(0);
    await rename(`${original}.away`, original);
    await endWait(world.app, 'intake', failing);
    expect(await runOnce(world.app, INTAKE)).toBe(1);
    expect(await statesOf(files)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('writes nothing of any file when their transaction fails, and takes them in one by one', async () => {
    const account = world.freshAccount();
    const files = await claimedIn([account, account]);
    const cut = cutAtStatement(world.app, /commit_intake/);
    expect(await runOnce(watched(cut.app).app, INTAKE)).toBe(2);
    expect(cut.wasCut()).toBe(true);
    expect(await statesOf(files)).toEqual(['accepted', 'accepted']);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: `2 things are worked on one by one: ${POWER_CUT}` }),
    );
    const rows = await world.query(
      'SELECT count(*) AS rows FROM payment_row JOIN file USING (file_no) WHERE file_id = ANY ($1)',
      [files],
    );
    expect(rows).toEqual([{ rows: 2 }]);
  });

  it('reads a file that was left by a reader that died by itself, between the others and in its turn', async () => {
    const account = world.freshAccount();
    const files = await claimedIn(upTo(5).map(() => account));
    await beginReading(world.app.ledger, files[2]!);
    let readings = 0;
    const app = beforeStatement(world.app, /INSERT INTO reading/, () => void (readings += 1));
    await runOnce(app, INTAKE);
    expect(readings).toBe(3);
    expect(decided(files)).toEqual(files);
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
