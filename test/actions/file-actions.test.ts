import { appendFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOpenProposalOf } from '../../src/ledger/proposal/proposals.ts';
import { readBatches, readBatchRow, readFileRow, readFileState, readOutputs } from '../../src/ledger/file/read-file.ts';
import { copyFaults } from '../../src/ledger/row/copy-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import type { Settings } from '../../src/config/config.ts';
import type { ActionContext } from '../../src/actions/action.ts';
import { approveOrPropose, cancel, isTwoPersonMatter } from '../../src/actions/file-actions.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { cancelOneBatch, requeueFile } from '../../src/actions/batch-actions.ts';
import type { QueueName } from '../../schemas/jobs.ts';
import { pollStage } from '../../workers/poll/poll.ts';
import { achRow, cardRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { answering } from '../workers/support/scripted-gateway.ts';
import { dueOf, putTaken } from '../workers/support/stage-steps.ts';
import { openStepWorld } from '../workers/support/step-world.ts';
import { claimContent, fileWithOutcomes, loseQueue, rungBy, takeInCharges } from '../workers/support/story.ts';
import { DELIVER } from '../../workers/deliver/deliver.ts';
import { restoreOutputs } from '../../src/actions/output-actions.ts';
import type { App } from '../../src/app.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { openOutput } from '../../src/actions/open-output.ts';
import { findFile } from '../../src/ledger/file/search.ts';
import { chooseRows, findMissing } from '../../src/actions/resubmit-action.ts';
import { resubmitRows } from '../../src/actions/resubmit.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { deliverFile, submitBatch, takeClaim } from '../support/work-alone.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'meant so' };

async function held(): Promise<FileRow> {
  const file = await world.held();
  await transact(world.ledger, (tx) => copyFaults(tx, file.file_no, 1, [{ code: 'SAME_ROWS', line: 2 }]));
  return file;
}

function settingsOf(file: FileRow, overrides: boolean): Settings {
  const secondPerson = { refunds: false, overrides, resolutions: false };
  return { accounts: new Map([[file.account, { secondPerson }]]), folders: [] } as unknown as Settings;
}

describe('approveOrPropose', () => {
  it('approves the file, and keeps what was overridden', async () => {
    const file = await held();
    const { held: reasons, proposalNo } = await approveOrPropose(world.ledger, settingsOf(file, false), file, because);
    expect([reasons.map(({ code }) => code), proposalNo]).toEqual([['SAME_ROWS'], undefined]);
    expect(await readFileState(world.ledger, file.file_id)).toBe('accepted');
    expect((await world.links(file.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'approve',
      evidence: { overrides: ['SAME_ROWS'] },
    });
  });

  it('only proposes it where two persons are asked for', async () => {
    const file = await held();
    const { proposalNo } = await approveOrPropose(world.ledger, settingsOf(file, true), file, because);
    expect(await readFileState(world.ledger, file.file_id)).toBe('held');
    expect(await readOpenProposalOf(world.ledger, { fileId: file.file_id })).toMatchObject({
      proposal_no: proposalNo,
      evidence: { overrides: ['SAME_ROWS'] },
    });
  });
});

describe('cancel', () => {
  const NOTHING = { actor: because.actor, filled: {} };
  const contextOf = (file: FileRow) =>
    ({ ledger: world.ledger, settings: settingsOf(file, false), clock: world.clock }) as unknown as ActionContext;

  it.each([
    ['submitted', 'every batch was already sent'],
    ['reconciled', 'every batch is final'],
  ] as const)('plans nothing for a file whose batches are %s', async (state, why) => {
    const file = await world.accepted();
    await world.putFile(file.file_id, 'in_progress');
    await world.putBatch({ fileId: file.file_id, batchNo: 1 }, state);
    await expect(cancel.plan(contextOf(file), { kind: 'file', file }, NOTHING)).rejects.toThrow(why);
  });

  it('plans nothing for one batch of a held file, which is decided as a whole', async () => {
    const file = await held();
    const [batch] = await readBatches(world.ledger, file.file_id);
    await expect(cancelOneBatch.plan(contextOf(file), { kind: 'batch', file, batch: batch! }, NOTHING)).rejects.toThrow(
      'the state of its file is needs approval',
    );
  });
});

describe('isTwoPersonMatter', () => {
  it('goes by the account, and takes two for one that has left the configuration', async () => {
    const file = await held();
    expect(isTwoPersonMatter(settingsOf(file, false), file)).toBe(false);
    expect(isTwoPersonMatter(settingsOf(file, true), file)).toBe(true);
    expect(isTwoPersonMatter({ accounts: new Map() }, file)).toBe(true);
  });
});

const steps = openedForTests(() => openStepWorld({ accounts: 6 }));

describe('requeueFile', () => {
  const world = steps;

  it('asks for the intake of a file that is claimed', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await takeClaim(world.app, claim);
    await loseQueue(world.app);
    const file = await readFileRow(world.app.ledger, claim.fileId);
    let asked: string[] = [];
    const ask = async () => (asked = await requeueFile(world.app, file));
    expect(await rungBy(ask)).toEqual(['intake']);
    expect(asked).toEqual(['intake']);
  });

  it('has tried at once what failed a moment ago, of the file and its account alone, and leaves what is worked on', async () => {
    const [account, other] = [world.freshAccount(), world.freshAccount()];
    const [fileId, theirs] = [await takeInCharges(world.app, account, 4), await takeInCharges(world.app, other, 2)];
    const { ledger } = world.app;
    const answer = { kind: 'submitted', batchId: 'r2', text: 'taken' } as const;
    await submitBatch(answering(world.app, answer).app, { fileId, batchNo: 1 });
    await world.query(`UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [fileId]);
    const failed = { submit: account, poll: `${fileId}/1`, deliver: fileId } as const;
    for (const [stage, subject] of Object.entries({ ...failed, schedule: other }) as [QueueName, string][])
      await putTaken(world.app, { stage, until: '1 minute' }, subject);
    await putTaken(world.app, { stage: 'deliver', until: '1 minute' }, theirs);
    await putTaken(world.app, { stage: 'intake' }, fileId);
    await requeueFile(world.app, await readFileRow(ledger, fileId));
    const left = await world.query<{ stage: string; subject: string }>(
      'SELECT stage, subject FROM taken ORDER BY 1, 2',
    );
    expect(left).toEqual([
      { stage: 'deliver', subject: theirs },
      { stage: 'intake', subject: fileId },
      { stage: 'schedule', subject: other },
    ]);
    expect(await dueOf(world.app, DELIVER)).toContainEqual({ fileId });
    expect((await dueOf(world.app, pollStage())).map(({ key }) => key)).toContainEqual({ fileId, batchNo: 1 });
    await world.query('DELETE FROM taken');
  });

  it('asks for what each batch waits for: the first that is ready, and every result', async () => {
    const fileId = await takeInCharges(world.app, world.freshAccount(), 6);
    await submitBatch(answering(world.app, { kind: 'submitted', batchId: 'r1', text: 'taken' }).app, {
      fileId,
      batchNo: 1,
    });
    await loseQueue(world.app);
    const file = await readFileRow(world.app.ledger, fileId);
    let asked: string[] = [];
    const ask = async () => (asked = await requeueFile(world.app, file));
    expect(await rungBy(ask)).toEqual(['deliver', 'poll', 'submit']);
    expect(asked).toEqual(['poll of batch 1', 'submit of batch 2', 'deliver']);
  });

  it('asks for one batch alone, and for nothing when it is in doubt', async () => {
    const fileId = await takeInCharges(world.app, world.freshAccount(), 4);
    const unknown = { kind: 'unknown', why: 'reset', evidence: { bytesWritten: 1, bytesRead: 0 } } as const;
    const service = answering(world.app, unknown);
    await submitBatch(service.app, { fileId, batchNo: 1 });
    await loseQueue(world.app);
    const file = await readFileRow(world.app.ledger, fileId);
    const [doubtful, waiting] = await readBatches(world.app.ledger, fileId);
    expect(await requeueFile(world.app, file, doubtful)).toEqual([]);
    expect(await requeueFile(world.app, file, waiting)).toEqual(['submit of batch 2']);
    await submitBatch(service.app, { fileId, batchNo: 2 });
    await submitBatch(service.app, { fileId, batchNo: 1 });
    expect(service.bodies).toHaveLength(1);
    expect((await readBatchRow(world.app.ledger, { fileId, batchNo: 2 })).state).toBe('ready');
  });
});

describe('restoreOutputs', () => {
  const world = steps;

  it('brings back what is missing, byte for byte, and leaves alone what lies there', async () => {
    const content = lines(upTo(2).map((n) => cardRow(n)));
    const { file_id: fileId } = await fileWithOutcomes(world, 'card', content, () => 'OK: 1:', 'june.csv');
    await deliverFile(world.app, { fileId });
    const file = await readFileRow(world.app.ledger, fileId);
    const outputs = await readOutputs(world.app.ledger, fileId);
    const pathOf = (kind: string) => join(world.settings.paths.out, outputs.find((row) => row.kind === kind)!.name);
    const before = await readFile(pathOf('result'));
    await rm(pathOf('result'));
    await appendFile(pathOf('ack'), 'a remark of somebody\n');

    const { checks, restored } = await restoreOutputs(world.app, file);
    expect(restored).toEqual([outputs.find(({ kind }) => kind === 'result')!.name]);
    expect(checks.find(({ kind }) => kind === 'ack')).toMatchObject({ onDisk: 'differs', rebuilt: 'same' });
    expect(await readFile(pathOf('result'))).toEqual(before);
    expect(await readFile(pathOf('ack'), 'utf8')).toContain('a remark of somebody');
    expect((await readdir(world.settings.paths.data)).filter((name) => name.startsWith('rebuild-'))).toEqual([]);
    expect((await restoreOutputs(world.app, file)).restored).toEqual([]);
  });
});

const CONTENT = 'Line,Outcome\n2,APPROVED\n';
const noteOf = (name: string, content = CONTENT) => ({ name, sha256: sha256Of(content), bytes: content.length });

describe('openOutput', () => {
  let out: string;
  beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'paydrop-outputs-'));
  });
  afterEach(() => rm(out, { recursive: true, force: true }));
  const open = (note: ReturnType<typeof noteOf>, site = 'main', hashedBytes?: number) => {
    const app = { settings: { site: 'main', paths: { out } } } as unknown as App;
    return openOutput(app, { site }, note, hashedBytes);
  };

  it.each([
    ['hashed', 1_000],
    ['too large to be hashed', 3],
  ])('opens a file that is what was written, %s', async (_, hashedBytes) => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    const opened = await open(noteOf('a.csv'), 'main', hashedBytes);
    if (opened.kind !== 'open') throw new Error(opened.kind);
    expect([opened.bytes, await text(opened.content)]).toEqual([CONTENT.length, CONTENT]);
  });

  it('gives the very file that was hashed, whatever takes its name meanwhile', async () => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    const opened = await open(noteOf('a.csv'));
    await rm(join(out, 'a.csv'));
    await writeFile(join(out, 'a.csv'), 'x'.repeat(CONTENT.length));
    expect(opened.kind === 'open' && (await text(opened.content))).toBe(CONTENT);
  });

  it.each([
    ['of the same length', CONTENT.replace('APPROVED', 'DECLINED')],
    ['longer', `${CONTENT}3,APPROVED\n`],
    ['cut off', CONTENT.slice(0, -2)],
    ['empty', ''],
  ])('does not open one that was changed: %s', async (_, content) => {
    await writeFile(join(out, 'a.csv'), content);
    expect(await open(noteOf('a.csv'))).toEqual({ kind: 'differs' });
  });

  it('does not open what is gone, is a link, or would lie outside the folder', async () => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    await symlink(join(out, 'a.csv'), join(out, 'link.csv'));
    for (const name of ['gone.csv', 'link.csv', '../a.csv', `/${out}/a.csv`, '..', 'x/../a.csv'])
      expect(await open(noteOf(name)), name).toEqual({ kind: 'missing' });
  });

  it('says at which site an output lies, and looks for none of that name here', async () => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    expect(await open(noteOf('a.csv'), 'north')).toEqual({ kind: 'elsewhere', site: 'north' });
  });
});

describe('the rows to resubmit', () => {
  const because = { actor: 'operator:ada', reason: 'the card is good now' };
  const world = openedForTests(openPipelineWorld);
  let june: FileRow;
  beforeAll(async () => {
    const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
    await world.drop('card', 'june.csv', lines([cardRow(1), declined]));
    await world.drop('card', 'rejected.csv', 'one,two\n');
    await world.finish();
    june = await findFile(world.app.ledger, 'june.csv');
  });
  describe('chooseRows', () => {
    it('has the rows that were certainly not charged', async () => {
      expect(await chooseRows(world.app, june)).toEqual({ lines: [2], cents: 200, barred: 0, shown: [], unproven: [] });
      await expect(chooseRows(world.app, june, 'not-sent')).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
        message: expect.stringContaining('it has no such rows'),
      });
    });

    it('refuses a file that is not at its end, with what to do', async () => {
      const rejected = await findFile(world.app.ledger, 'rejected.csv');
      await expect(chooseRows(world.app, rejected)).rejects.toThrow(
        'its state is rejected. Correct it and drop it again.',
      );
      const going = { ...june, state: 'in_progress' } as const;
      await expect(chooseRows(world.app, going)).rejects.toThrow('Wait until it is completed.');
    });
  });
  describe('findMissing', () => {
    it('finds the file that has not come back, for which everything else waits', async () => {
      await expect(findMissing(world.app, june)).rejects.toThrow('none is missing');
      const { name } = (await resubmitRows(world.app, june, await chooseRows(world.app, june), because))!;
      expect(await findMissing(world.app, june)).toMatchObject({ earlier: { name, rows: 1, cents: 200 }, lines: [2] });
      await expect(chooseRows(world.app, june)).rejects.toThrow(`"${name}" with 1 row of it has not been taken from`);
      await world.finish();
      await expect(findMissing(world.app, june)).rejects.toThrow('none is missing');
      await expect(chooseRows(world.app, june)).rejects.toThrow('every such row was already resubmitted, or is barred');
    });
  });
});
