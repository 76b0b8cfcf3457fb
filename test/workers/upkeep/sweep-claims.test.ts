import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { beginReading } from '../../../src/ledger/file/count-readings.ts';
import { readFileState } from '../../../src/ledger/file/read-file.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { openOriginal, originalPath } from '../../../workers/open-original.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, cardRow, lines } from '../../support/payment-rows.ts';
import { cutAfterVerdict, cutAtStatement } from '../support/failing-app.ts';
import { stepWorld } from '../support/step-world.ts';
import { jobIds, loseQueue } from '../support/story.ts';
import { claimContent } from '../support/take-in.ts';

const world = stepWorld({ accounts: 40 });

describe('sweep, when claims were left behind', () => {
  it('adopts one that the ledger does not know', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    expect(await world.jobsAddedBy(claim.fileId, () => sweep(world.app))).toEqual(['intake']);
    expect(await world.file(claim.fileId)).toMatchObject({ state: 'claimed', name: 'a.csv' });
    await intakeFile(world.app, claim);
    expect(await readFileState(world.app.ledger, claim.fileId)).toBe('accepted');
  });

  it('adopts one whose sealing was cut short', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await expect(takeClaim(cutAtStatement(world.app, /INSERT INTO file /).app, claim)).rejects.toThrow('power cut');
    await sweep(world.app);
    const file = await world.file(claim.fileId);
    expect(await openOriginal(world.app, file).toArray()).toEqual([Buffer.from(lines([achRow(1)]))]);
  });

  it('says what it cannot adopt until it is adopted', async () => {
    const account = world.freshAccount();
    await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
    const failing = () => world.query('SELECT work, subject FROM failing_work WHERE account = $1', [account]);
    await sweep(cutAtStatement(world.app, /INSERT INTO file /).app);
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
    // The queue fails once the ledger knows the one, and the claim of the other is gone.
    const { queue } = world.app;
    const add = async (...job: Parameters<typeof queue.add>) => {
      const isAway = 'fileId' in job[2] && (job[2].fileId === fresh.fileId || !existsSync(decided.workDir));
      if (isAway) throw new PipelineError('QUEUE_UNREACHABLE', 'add a job');
      await queue.add(...job);
    };
    await sweep({ ...world.app, queue: { ...queue, add } });
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

  it('asks for the intake of a file once, however often it comes by', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    for (let round = 0; round < 4; round += 1) await sweep(world.app);
    expect((await jobIds(world.app, claim.fileId)).size).toBe(1);
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

  it('trouble with one claim stops neither the others nor the jobs', async () => {
    const account = world.freshAccount();
    const sent = await world.takeInCharges(account, 2);
    const lost = await claimContent(world.app, `drop/${account}/card`, 'lost.csv', lines([cardRow(1)]));
    const fine = await claimContent(world.app, `drop/${account}/ach-refund`, 'fine.csv', lines([achRow(1)]));
    await loseQueue(world.app);
    const app = { ...world.app, folder: (id: string) => (id === lost.notes.folder ? undefined : world.app.folder(id)) };
    await sweep(app);
    expect(await readFileState(world.app.ledger, fine.fileId)).toBe('claimed');
    expect(await readFileState(world.app.ledger, lost.fileId)).toBeUndefined();
    expect(existsSync(lost.path)).toBe(true);
    expect((await jobIds(world.app, sent)).size).toBeGreaterThan(0);
  });

  it('a work folder that cannot be listed holds up no job', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await loseQueue(world.app);
    const folders = world.settings.folders.map((folder) => ({ ...folder, work: join(world.root, 'gone') }));
    const app = { ...world.app, settings: { ...world.settings, folders } };
    await expect(sweep(app)).rejects.toThrow('does not exist');
    expect((await jobIds(world.app, fileId)).size).toBeGreaterThan(0);
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
