import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueName } from '../../schemas/jobs.ts';
import { readFileRow, readFileState } from '../../src/ledger/queries/read-file.ts';
import { deliverFile } from '../../workers/deliver.ts';
import { intakeFile } from '../../workers/intake.ts';
import { openOriginal, originalPath } from '../../workers/open-original.ts';
import { submitBatch } from '../../workers/submit.ts';
import { sweep } from '../../workers/sweep.ts';
import { takeClaim } from '../../workers/take-claim.ts';
import { achRow, cardRow, lines } from '../support/payment-rows.ts';
import { carryOut } from './support/carry-out.ts';
import { cutAtStatement } from './support/failing-app.ts';
import { answering, answeringUnasked } from './support/scripted-gateway.ts';
import { openStepWorld, type StepWorld } from './support/step-world.ts';
import { jobIds, jobsAddedBy, loseQueue, query, storyOf } from './support/story.ts';
import { claimContent, takeIn, takeInCharges } from './support/take-in.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 40 });
});
afterAll(() => world.close());

const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

describe('sweep, when jobs were lost', () => {
  const STAGES: { stage: string; reach(account: string): Promise<string>; asks: string[] }[] = [
    {
      stage: 'claimed',
      asks: ['intake'],
      reach: async (account) => {
        const claim = await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
        await takeClaim(world.app, claim);
        return claim.fileId;
      },
    },
    {
      stage: 'accepted',
      asks: ['deliver', 'submit-1'],
      reach: (account) => takeInCharges(world.app, account, 4),
    },
    {
      stage: 'accepted, with its notice',
      asks: ['submit-1'],
      reach: async (account) => {
        const fileId = await takeInCharges(world.app, account, 4);
        await deliverFile(world.app, { fileId });
        return fileId;
      },
    },
    {
      stage: 'submitted',
      asks: ['deliver', 'poll-1-0', 'submit-2'],
      reach: async (account) => {
        const fileId = await takeInCharges(world.app, account, 4);
        await submitBatch(answering(world.app, { ...TAKEN, batchId: `id-${account}` }).app, { fileId, batchNo: 1 });
        return fileId;
      },
    },
    {
      stage: 'with a result that is not reconciled',
      asks: ['deliver', 'poll-1-0'],
      reach: async (account) => {
        const fileId = await takeInCharges(world.app, account, 2);
        const cut = cutAtStatement(world.app, /SELECT line, invoice/, 1);
        await carryOut(cut.app, fileId, () => 'Received').catch(() => {});
        expect((await storyOf(world.app, { fileId, batchNo: 1 })).state).toBe('result_in');
        return fileId;
      },
    },
    {
      stage: 'reconciled',
      asks: ['deliver'],
      reach: async (account) => {
        const fileId = await takeInCharges(world.app, account, 2);
        await carryOut(world.app, fileId, () => 'Received');
        return fileId;
      },
    },
    {
      stage: 'held',
      asks: ['deliver'],
      reach: (account) =>
        takeIn(world.app, `drop/${account}/ach-charge`, lines([achRow(1), achRow(2, { amount: 'x' })])),
    },
    {
      stage: 'rejected',
      asks: ['deliver'],
      reach: (account) => takeIn(world.app, `drop/${account}/card`, 'no payment\n'),
    },
    {
      stage: 'completed',
      asks: [],
      reach: async (account) => {
        const fileId = await takeInCharges(world.app, account, 2);
        await carryOut(world.app, fileId, () => 'Received');
        await deliverFile(world.app, { fileId });
        return fileId;
      },
    },
  ];

  it.each(STAGES)('asks again for a file that is $stage, once', async ({ reach, asks }) => {
    const fileId = await reach(world.freshAccount());
    await loseQueue(world.app);
    expect(await jobIds(world.app, fileId)).toEqual(new Set());
    expect(await jobsAddedBy(world.app, fileId, () => sweep(world.app))).toEqual(asks);
    expect(await jobsAddedBy(world.app, fileId, () => sweep(world.app))).toEqual([]);
    expect(await jobsAddedBy(world.app, fileId, () => sweep(world.app, { atStart: true }))).toEqual([]);
  });

  it('asks for nothing of an account that may not send', async () => {
    const [doubtful, stopped, waiting] = [world.freshAccount(), world.freshAccount(), world.freshAccount()];
    const files = [];
    for (const account of [doubtful, stopped, waiting]) {
      const fileId = await takeInCharges(world.app, account, 4);
      await deliverFile(world.app, { fileId });
      files.push(fileId);
    }
    const unknown = { kind: 'unknown', why: 'reset', evidence: { bytesWritten: 1, bytesRead: 0 } } as const;
    await submitBatch(answering(world.app, unknown).app, { fileId: files[0]!, batchNo: 1 });
    await query(world.app, `INSERT INTO account_stop VALUES ($1, 'a person said so', now())`, [stopped]);
    await submitBatch(answeringUnasked(world.app, { kind: 'not_sent', why: 'refused' }), {
      fileId: files[2]!,
      batchNo: 1,
    });
    // The wait after the first try is short, and this test may take longer.
    await query(world.app, `UPDATE batch SET not_before = now() + interval '1 hour' WHERE file_id = $1`, [files[2]!]);
    await loseQueue(world.app);
    await sweep(world.app);
    for (const fileId of files) expect(await jobIds(world.app, fileId)).toEqual(new Set());
  });

  it('at the start does not count on jobs that look as if they were running', async () => {
    const fileId = await takeInCharges(world.app, world.freshAccount(), 2);
    await loseQueue(world.app);
    let began = () => {};
    let end = () => {};
    const running = new Promise<void>((resolve) => (began = resolve));
    const ended = new Promise<void>((resolve) => (end = resolve));
    await world.app.queue.add('submit', `submit-${fileId}-1-0123abcd`, { fileId, batchNo: 1 });
    const station = world.app.queue.work('submit', 1, async (job) => {
      if (job.fileId === fileId) began();
      await ended;
    });
    await running;
    await sweep(world.app);
    expect((await idsOf('submit')).filter((id) => id.includes(fileId))).toEqual([]);
    await sweep(world.app, { atStart: true });
    expect((await idsOf('submit')).filter((id) => id.includes(fileId))).toHaveLength(1);
    end();
    await station.close();
  });
});

async function idsOf(name: QueueName): Promise<string[]> {
  return [...(await world.app.queue.ids(name, 'waiting'))];
}

describe('sweep, when claims were left behind', () => {
  it('adopts one that the ledger does not know', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    expect(await jobsAddedBy(world.app, claim.fileId, () => sweep(world.app))).toEqual(['intake']);
    expect(await readFileRow(world.app.ledger, claim.fileId)).toMatchObject({ state: 'claimed', name: 'a.csv' });
    await intakeFile(world.app, claim);
    expect(await readFileState(world.app.ledger, claim.fileId)).toBe('accepted');
  });

  it('adopts one whose sealing was cut short', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await expect(takeClaim(cutAtStatement(world.app, /^INSERT INTO file/).app, claim)).rejects.toThrow('power cut');
    await sweep(world.app);
    const file = await readFileRow(world.app.ledger, claim.fileId);
    expect(await openOriginal(world.app, file).toArray()).toEqual([Buffer.from(lines([achRow(1)]))]);
  });

  it('removes the plain bytes of a file that has its verdict', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await takeClaim(world.app, claim);
    const cut = cutAtStatement(world.app, /^SELECT \* FROM file WHERE file_id/, 1);
    await expect(intakeFile(cut.app, claim)).rejects.toThrow('power cut');
    expect(existsSync(claim.path)).toBe(true);
    await sweep(world.app);
    expect(existsSync(claim.workDir)).toBe(false);
    expect(await readFileState(world.app.ledger, claim.fileId)).toBe('accepted');
  });

  it('destroys what was kept of a file with security codes', async () => {
    const content = lines([`${cardRow(1)},737`]);
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/card`, 'cvv.csv', content);
    await takeClaim(world.app, claim);
    const cut = cutAtStatement(world.app, /^SELECT \* FROM file WHERE file_id/, 1);
    await expect(intakeFile(cut.app, claim)).rejects.toThrow('power cut');
    const file = await readFileRow(world.app.ledger, claim.fileId);
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
    const sent = await takeInCharges(world.app, account, 2);
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
    const fileId = await takeInCharges(world.app, world.freshAccount(), 2);
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
