import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { pollNow } from '../../../src/ledger/batch/schedule-poll.ts';
import { findDueWork } from '../../support/due-work.ts';
import { readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { openOriginal, openResult, originalPath } from '../../../workers/open-original.ts';
import { openShredder, shredDue } from '../../../workers/upkeep/shred.ts';
import { achRow, cardRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { claimContent, query } from '../support/story.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { beginReading } from '../../../src/ledger/file/count-readings.ts';
import { DELIVER } from '../../../workers/deliver/deliver.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { dueOf } from '../support/stage-steps.ts';
import { cutAfterVerdict, cutAtStatement, stepWorld } from '../support/step-world.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

/** Tables whose files on disk hold a wrapped key or its bytes, which begin with its mark. */
const FILES_WITH_KEYS = `SELECT oid::regclass::text AS table FROM pg_class
  WHERE relnamespace = 'paydrop'::regnamespace AND relkind = 'r' AND relname <> 'vault_key'
    AND position('PDK1'::bytea IN pg_read_binary_file(pg_relation_filepath(oid))) > 0`;

const DAY_MS = 86_400_000;
const because = { actor: 'operator:ada', reason: 'the customer asks' };

const world = openedForTests(() => openPipelineWorld({ account: { recheck: { afterMs: [] } } }));
beforeAll(async () => {
  for (const name of ['june', 'july', 'august']) {
    await world.drop('ach-charge', `${name}.csv`, lines([achRow(1, { invoice: name }), achRow(2, { invoice: name })]));
  }
  await world.finish();
});

/** Returns the same installation this many days later. */
function after(days: number): { app: App; clock: ReturnType<typeof handClock> } {
  const clock = handClock(new Date(world.app.clock.now().getTime() + days * DAY_MS));
  const databaseNow = () => `timestamptz '${clock.now().toISOString()}'`;
  const askTime = async () => clock.now();
  return { clock, app: { ...world.app, clock, askTime, ledger: { ...world.app.ledger, clock, databaseNow } } };
}

async function archived(): Promise<string[]> {
  const names = await readdir(world.settings.paths.archive, { recursive: true });
  return names.filter((name) => name.endsWith('.sealed'));
}

describe('shredDue', () => {
  it('leaves everything as it is before the time is over', async () => {
    expect(await shredDue(after(399).app)).toBe(0);
    expect(await archived()).toHaveLength(3);
    const outputs = await rebuildOutputs(world.app, await findFile(world.app.ledger, 'june.csv'));
    expect(outputs.map((output) => output.rebuilt)).toEqual(['same', 'same', 'same', 'same']);
  });

  it('stops between two files when the process does', async () => {
    expect(await shredDue(after(401).app, () => true)).toBe(0);
    expect(await archived()).toHaveLength(3);
  });

  it.each([
    ['says that it is not', async () => world.app.clock.now()],
    ['does not say', async () => undefined],
  ])('destroys nothing when the host says that the time is over and the service %s', async (_what, askTime) => {
    const { app } = after(500);
    const refused = { code: 'CLOCK_UNSURE', message: expect.stringContaining('the keys of 3 files') };
    await expect(shredDue({ ...app, askTime })).rejects.toMatchObject(refused);
    expect(await archived()).toHaveLength(3);
  });

  it('destroys key, batches, fingerprints and original; outcomes and outputs stay', async () => {
    const before = await world.outputs('result');
    expect(await shredDue(after(401).app)).toBe(3);
    expect(await archived()).toEqual([]);
    expect(await world.outputs('result')).toEqual(before);
    const left = await query(
      world.app,
      `SELECT (SELECT count(*)::int FROM sealed_part) AS parts, (SELECT count(*)::int FROM row_outcome) AS outcomes,
              (SELECT count(*)::int FROM row_fingerprint) AS prints, (SELECT count(*)::int FROM file_secret) AS keys`,
    );
    expect(left).toEqual([{ parts: 0, outcomes: 6, prints: 0, keys: 0 }]);
    expect(await shredDue(after(402).app)).toBe(0);
  });

  it('has no byte of a destroyed key left in the files of the database', async () => {
    const cleanings = await query(world.app, 'SELECT table_name, cleaned_at, why FROM cleaning ORDER BY table_name');
    expect(cleanings).toEqual([
      { table_name: 'file_secret', cleaned_at: expect.any(Date), why: null },
      { table_name: 'row_fingerprint', cleaned_at: expect.any(Date), why: null },
    ]);
    await query(world.app, 'CHECKPOINT');
    expect(await query(world.app, FILES_WITH_KEYS)).toEqual([]);
  });

  it('has every later wish for the original answered clearly, and nothing due because of it', async () => {
    const file = await findFile(world.app.ledger, 'june.csv');
    const gone = { code: 'ORIGINAL_GONE', message: expect.stringContaining('destroyed on purpose') };
    await expect(rebuildOutputs(world.app, file)).rejects.toMatchObject(gone);
    await expect(openResult(world.app, file, 1)).rejects.toMatchObject(gone);
    const key = { fileId: file.file_id, batchNo: 1 };
    await expect(pollNow(world.app.ledger, key, because)).rejects.toMatchObject(gone);
    await query(world.app, 'UPDATE batch SET next_recheck_at = now()');
    expect(await findDueWork(world.app.ledger)).toEqual({ intake: [], submit: [], poll: [], deliver: [] });
  });

  it('removes an original whose key another process destroyed before it died', async () => {
    const file = await readFileRow(world.app.ledger, (await findFile(world.app.ledger, 'july.csv')).file_id);
    const path = originalPath(world.app, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'sealed');
    await shredDue(world.app);
    expect(await archived()).toEqual([]);
  });
});

describe('openShredder', () => {
  it('looks once an hour, however often it is asked to, and sooner when the clock was set back', async () => {
    const { app, clock } = after(500);
    let looks = 0;
    const pool = new Proxy(app.ledger.pool, {
      get: (target, name) => {
        if (name !== 'query') return Reflect.get(target, name).bind(target);
        return (text: string, values: unknown[]) => {
          if (text.includes('AS "dueAt"')) looks += 1;
          return target.query(text, values);
        };
      },
    });
    const shredder = openShredder({ ...app, ledger: { ...app.ledger, pool } });
    await Promise.all([shredder.tick(), shredder.tick()]);
    expect(looks).toBe(1);
    clock.advance(3_599_999);
    await shredder.tick();
    expect(looks).toBe(1);
    clock.advance(1);
    await shredder.tick();
    expect(looks).toBe(2);
    clock.advance(-DAY_MS);
    await shredder.tick();
    expect(looks).toBe(3);
    await shredder.stop();
    clock.advance(DAY_MS);
    await shredder.tick();
    expect(looks).toBe(3);
  });

  it('says so in the log when it fails, and lives on', async () => {
    const said: unknown[] = [];
    const log = { ...world.app.log, error: (text: unknown) => said.push(text) } as unknown as App['log'];
    const pool = { query: () => Promise.reject(new Error('gone')) } as unknown as App['ledger']['pool'];
    await openShredder({ ...world.app, log, ledger: { ...world.app.ledger, pool } }).tick();
    expect(said).toEqual(['destroying keys failed: gone']);
  });
});

describe('sweep, when claims were left behind', () => {
  const world = stepWorld({ accounts: 40 });

  /** Makes a file whose notice is due and was in the hands of a process that died. @returns its id */
  async function takenByDead(account: string): Promise<string> {
    const fileId = await world.takeInCharges(account, 2);
    await world.query(`INSERT INTO taken (stage, subject, worker) VALUES ('deliver', $1, 'host-1-gone')`, [fileId]);
    expect(await dueOf(world.app, DELIVER)).not.toContainEqual({ fileId });
    return fileId;
  }

  it('adopts one that the ledger does not know', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await sweep(world.app);
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'claimed', name: 'a.csv' });
    expect(await dueOf(world.app, INTAKE)).toContainEqual({ fileId: claim.fileId });
    await intakeFile(world.app, claim);
    expect(await readFileState(world.app.ledger, claim.fileId)).toBe('accepted');
  });

  it('adopts one whose sealing was cut short', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await expect(takeClaim(cutAtStatement(world.app, /commit_claims/).app, claim)).rejects.toThrow('power cut');
    await sweep(world.app);
    const file = await world.file(claim.fileId);
    expect(await openOriginal(world.app, file).toArray()).toEqual([Buffer.from(lines([achRow(1)]))]);
  });

  it('says what it cannot adopt until it is adopted', async () => {
    const account = world.freshAccount();
    await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
    const failing = () => world.query('SELECT work, subject FROM failing_work WHERE account = $1', [account]);
    await sweep(cutAtStatement(world.app, /commit_claims/).app);
    expect(await failing()).toEqual([{ work: 'watch', subject: `drop/${account}/ach-charge, "a.csv"` }]);
    await sweep(world.app);
    expect(await failing()).toEqual([]);
  });

  it('counts a drop as taken in although the queue does not answer', async () => {
    const account = world.freshAccount();
    const fresh = await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
    const decided = await claimContent(world.app, `drop/${account}/ach-charge`, 'b.csv', lines([achRow(2)]));
    await takeClaim(world.app, decided);
    await expect(intakeFile(cutAfterVerdict(world.app), decided)).rejects.toThrow('power cut');
    const away = () => Promise.reject(new PipelineError('QUEUE_UNREACHABLE', 'ask the queue'));
    const queue = { ...world.app.queue, ring: away, heal: away };
    await expect(sweep({ ...world.app, queue })).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    expect(await readFileState(world.app.ledger, fresh.fileId)).toBe('claimed');
    expect(existsSync(decided.workDir)).toBe(false);
    // Such a drop is not taken again, so nothing would ever clear a failure recorded for it.
    expect(await world.query('SELECT subject FROM failing_work WHERE account = $1', [account])).toEqual([]);
  });

  it('removes the plain bytes of a file that has its verdict', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await takeClaim(world.app, claim);
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow('power cut');
    expect(existsSync(claim.path)).toBe(true);
    await sweep(world.app);
    expect(existsSync(claim.workDir)).toBe(false);
    expect(await readFileState(world.app.ledger, claim.fileId)).toBe('accepted');
  });

  it('forgets that a file was being read, when its verdict was written by a process that did not', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await takeClaim(world.app, claim);
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow('power cut');
    const readings = () => world.query('SELECT begun FROM reading WHERE file_id = $1', [claim.fileId]);
    expect(await readings()).toEqual([]);
    await beginReading(world.app.ledger, claim.fileId);
    await sweep(world.app);
    expect(await readings()).toEqual([]);
  });

  it('destroys what was kept of a file with security codes', async () => {
    const content = lines([`${cardRow(1)},737`]);
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/card`, 'cvv.csv', content);
    await takeClaim(world.app, claim);
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow('power cut');
    const file = await world.file(claim.fileId);
    expect(file.state).toBe('rejected');
    await sweep(world.app);
    expect(existsSync(claim.workDir)).toBe(false);
    expect(existsSync(originalPath(world.app, file))).toBe(false);
  });

  it('adopts a claim once, however often it comes by', async () => {
    const account = world.freshAccount();
    const claim = await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
    for (let round = 0; round < 4; round += 1) await sweep(world.app);
    const files = await world.query('SELECT file_id AS "fileId", state FROM file WHERE account = $1', [account]);
    expect(files).toEqual([{ fileId: claim.fileId, state: 'claimed' }]);
  });

  it('removes an empty claim and sets aside what is none', async () => {
    const { work } = world.app.folder('drop/account-1/card')!;
    await mkdir(join(work, '0123456789abcdef'));
    await mkdir(join(work, 'of somebody'));
    await writeFile(join(work, 'of somebody', 'notes.txt'), 'mine');
    const before = new Set(await readdir(world.settings.paths.quarantine));
    await sweep(world.app);
    expect(await readdir(work)).not.toContain('0123456789abcdef');
    expect(await readdir(work)).not.toContain('of somebody');
    const [aside] = (await readdir(world.settings.paths.quarantine)).filter((name) => !before.has(name));
    expect(existsSync(join(world.settings.paths.quarantine, aside!, 'drop', 'notes.txt'))).toBe(true);
  });

  it('trouble with one claim stops neither the others nor what the ledger knows', async () => {
    const account = world.freshAccount();
    const sent = await takenByDead(account);
    const lost = await claimContent(world.app, `drop/${account}/card`, 'lost.csv', lines([cardRow(1)]));
    const fine = await claimContent(world.app, `drop/${account}/ach-refund`, 'fine.csv', lines([achRow(1)]));
    const app = { ...world.app, folder: (id: string) => (id === lost.notes.folder ? undefined : world.app.folder(id)) };
    await sweep(app);
    expect(await readFileState(world.app.ledger, fine.fileId)).toBe('claimed');
    expect(await readFileState(world.app.ledger, lost.fileId)).toBeUndefined();
    expect(existsSync(lost.path)).toBe(true);
    expect(await dueOf(world.app, DELIVER)).toContainEqual({ fileId: sent });
  });

  it('a work folder that cannot be listed holds up nothing that the ledger knows', async () => {
    const fileId = await takenByDead(world.freshAccount());
    const folders = world.settings.folders.map((folder) => ({ ...folder, work: join(world.root, 'gone') }));
    const app = { ...world.app, settings: { ...world.settings, folders } };
    await expect(sweep(app)).rejects.toThrow('does not exist');
    expect(await dueOf(world.app, DELIVER)).toContainEqual({ fileId });
  });

  it('removes outputs that were cut short, when nobody can be writing them any more', async () => {
    const { out } = world.settings.paths;
    const [old, young] = ['.a.csv.0123456789abcdef.tmp', '.b.csv.0123456789abcdef.tmp'];
    for (const name of [old, young]) await writeFile(join(out, name), 'half');
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
    await utimes(join(out, old), hours(2), hours(2));
    await sweep(world.app);
    expect(await readdir(out)).not.toContain(old);
    expect(await readdir(out)).toContain(young);
  });
});
