import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPROCESS, runReprocess } from '../../../src/actions/reprocess/run-reprocess.ts';
import { planResubmission, resubmitRows } from '../../../src/actions/resubmit.ts';
import { armCrashPoints, type CrashPointName } from '../../../src/kernel/crash-point.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { judgeItems, readItems, readReprocess } from '../../../src/ledger/reprocess/judge-items.ts';
import { beginReprocess, stopReprocess } from '../../../src/ledger/reprocess/move-run.ts';
import { type Picked, selectAll, selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import { runOnce } from '../../../workers/stage.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { carryOut } from '../../workers/support/resolve-context.ts';
import { lostCall } from '../../ledger/support/reprocess-world.ts';
import { dueOf, endWait, onlyOf } from '../../workers/support/stage-steps.ts';
import { openStepWorld } from '../../workers/support/step-world.ts';
import { takeIn } from '../../workers/support/story.ts';
import { deliverFile } from '../../support/work-alone.ts';

const world = openedForTests(() => openStepWorld({ accounts: 40, settings: { batch: { maxRows: 10 } } }));
const ADA = { actor: 'operator:ada', reason: 'the line to the bank is up again' };
const LINE_DOWN = 'REJECT: 22';

let payment = 0;
let account: string;
beforeEach(() => {
  account = world.freshAccount();
});
afterEach(() => armCrashPoints(undefined));

/** Makes a finished file whose rows got these messages, from line 1 on. */
async function finished(messages: readonly string[], of = account): Promise<FileRow> {
  const rows = messages.map(() => cardRow((payment += 1)));
  const fileId = await takeIn(world.app, `drop/${of}/card`, lines(rows), `june-${payment}.csv`);
  await carryOut(world.app, fileId, (row) => messages[row - 1]!);
  await deliverFile(world.app, { fileId });
  return readFileRow(world.app.ledger, fileId);
}

/** Selects what may go again of the account, or what is picked, and begins the run. */
async function begun(picked?: Partial<Picked>): Promise<number> {
  const { ledger } = world.app;
  const runNo = picked
    ? await selectPicked(ledger, { rows: [], batches: [], lost: [], ...picked }, ADA)
    : await selectAll(ledger, { account }, ADA);
  const { digest } = await judgeItems(ledger.pool, runNo);
  await beginReprocess(ledger, runNo, { digest, name: 'Declines of June' }, ADA);
  return runNo;
}

const run = (runNo: number) => runReprocess(world.app, runNo);
const stateOf = async (runNo: number) => (await readReprocess(world.app.ledger.pool, runNo)).state;
const ended = async (runNo: number) =>
  (await readItems(world.app.ledger, runNo)).map(({ lines: of, result, explanation }) => [of, result, explanation]);

function dropFolder(of = account): string {
  return world.app.folder(`drop/${of}/card`)!.path;
}

/** Returns the new files in the drop folder, and how many rows each has below its titles. */
async function dropped(of = account): Promise<Record<string, number>> {
  const names = (await readdir(dropFolder(of))).filter((name) => !name.startsWith('.'));
  const texts = await Promise.all(names.map((name) => readFile(join(dropFolder(of), name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index]!.trimEnd().split('\r\n').length - 1]));
}

/** Takes the new files from the drop folder the whole way. @returns their states */
async function takeBack(): Promise<string[]> {
  const states: string[] = [];
  for (const name of Object.keys(await dropped())) {
    const text = await readFile(join(dropFolder(), name), 'utf8');
    await rm(join(dropFolder(), name));
    const fileId = await takeIn(world.app, `drop/${account}/card`, text, name);
    states.push((await readFileRow(world.app.ledger, fileId)).state);
  }
  return states;
}

/** A worker dies at a point; around a commit, only if it makes the move. */
async function dyingAt(point: CrashPointName, move: string | undefined, work: () => Promise<unknown>): Promise<void> {
  let hasDied = false;
  armCrashPoints((name, moves) => {
    if (name !== point || (move !== undefined && !moves.some((each) => each.move === move))) return;
    armCrashPoints(undefined);
    hasDied = true;
    throw new Error('the worker died');
  });
  // An error within an item leaves that item for later; one outside of them ends the run.
  const end = await work().catch((error: Error) => error.message);
  expect(['later', 'the worker died']).toContain(end);
  expect(hasDied).toBe(true);
}

describe('runReprocess', () => {
  it('makes one new file of each old one, with the selected payments, which nothing holds', async () => {
    const files = [];
    for (let n = 0; n < 3; n += 1) files.push(await finished(['OK: 678594:', LINE_DOWN, 'REJECT: 7', LINE_DOWN]));
    const runNo = await begun();
    await run(runNo);
    expect(await stateOf(runNo)).toBe('ended');
    expect(Object.values(await dropped())).toEqual(files.map(() => 2));
    const items = await readItems(world.app.ledger, runNo);
    expect(items.filter(({ result }) => result === 'done')).toHaveLength(3);
    expect(items.filter(({ result }) => result === 'left_out').map(({ explanation }) => explanation)).toEqual(
      files.map(() => 'its code says not to send it again'),
    );
    expect(await takeBack()).toEqual(files.map(() => 'accepted'));
    const back = (await readItems(world.app.ledger, runNo)).filter(({ result }) => result === 'done');
    expect(back.every(({ newFileId }) => newFileId !== null)).toBe(true);
    await run(runNo);
    expect(await dropped()).toEqual({});
  });

  it.each([
    ['reprocess.item-chosen', undefined],
    ['commit.before', 'resubmit'],
    ['commit.after', 'resubmit'],
    ['reprocess.file-dropped', undefined],
    ['commit.before', 'end-reprocess'],
    ['commit.after', 'end-reprocess'],
  ] as const)('sends each payment once when its worker dies at %s of %s', async (point, move) => {
    const file = await finished([LINE_DOWN, LINE_DOWN, 'OK: 678594:']);
    const runNo = await begun();
    await dyingAt(point, move, () => run(runNo));
    await run(runNo);
    expect(await stateOf(runNo)).toBe('ended');
    expect(Object.values(await dropped())).toEqual([2]);
    expect(await ended(runNo)).toEqual([[[1, 2], 'done', 'sent again in a new file: 2 payments']]);
    expect(await world.query('SELECT FROM resubmission WHERE file_id = $1', [file.file_id])).toHaveLength(1);
    expect(await takeBack()).toEqual(['accepted']);
  });

  it('writes no second file when the first was taken before its worker could tell', async () => {
    await finished([LINE_DOWN]);
    const runNo = await begun();
    await dyingAt('reprocess.file-dropped', undefined, () => run(runNo));
    expect(await takeBack()).toEqual(['accepted']);
    await run(runNo);
    expect([await stateOf(runNo), await dropped()]).toEqual(['ended', {}]);
  });

  it('ends when its file cannot get its name, because a stranger has it', async () => {
    const file = await finished([LINE_DOWN]);
    const runNo = await begun();
    await dyingAt('commit.after', 'resubmit', () => run(runNo));
    const [{ name }] = (await world.query('SELECT name FROM resubmission WHERE file_id = $1', [file.file_id])) as [
      { name: string },
    ];
    await writeFile(join(dropFolder(), name), 'another file');
    await run(runNo);
    expect([await stateOf(runNo), await ended(runNo)]).toEqual([
      'ended',
      [[[1], 'failed', expect.stringContaining('that name exists with other content')]],
    ]);
  });

  it('is done once when two workers take the same run', async () => {
    await finished([LINE_DOWN]);
    await finished([LINE_DOWN, LINE_DOWN]);
    const runNo = await begun();
    await Promise.all([run(runNo), run(runNo), run(runNo)]);
    await run(runNo);
    expect(Object.values(await dropped()).toSorted()).toEqual([1, 2]);
  });

  it('leaves out a payment that a person resubmitted meanwhile, and sends the others', async () => {
    const file = await finished([LINE_DOWN, LINE_DOWN, 'REJECT: 23']);
    const runNo = await begun();
    const plan = await planResubmission(world.app, file, new Set([2]));
    await resubmitRows(world.app, file, plan, { actor: 'operator:bob', reason: 'by hand' });
    await takeBack();
    await run(runNo);
    expect(await ended(runNo)).toEqual([
      [[1, 3], 'done', 'sent again in a new file: 2 payments'],
      [[2], 'left_out', 'it was resubmitted or corrected meanwhile'],
    ]);
    expect(Object.values(await dropped())).toEqual([2]);
  });

  it('stops after the file in hand: what is done stays done, and the rest is left out', async () => {
    const next = await finished([LINE_DOWN]);
    await finished([LINE_DOWN, LINE_DOWN]);
    const runNo = await begun();
    // The next file waits for this lock, and so for the stop.
    const lock = await world.app.ledger.pool.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM file WHERE file_id = $1 FOR UPDATE', [next.file_id]);
    const stopAndLetGo = async () => {
      try {
        return await stopReprocess(world.app.ledger, runNo, { actor: 'operator:ann', reason: 'enough' });
      } finally {
        await lock.query('COMMIT');
      }
    };
    const stopping: Promise<unknown>[] = [];
    armCrashPoints((name) => {
      if (name !== 'reprocess.file-dropped' || stopping.length > 0) return;
      stopping.push(stopAndLetGo());
    });
    await run(runNo);
    lock.release();
    expect(await Promise.all(stopping)).toEqual([{ leftOut: 1 }]);
    expect(await ended(runNo)).toEqual([
      [[1, 2], 'done', 'sent again in a new file: 2 payments'],
      [[1], 'left_out', 'stopped by ann'],
    ]);
    expect([await stateOf(runNo), Object.values(await dropped())]).toEqual(['ended', [2]]);
  });

  it('goes on with the next file when the folder of one cannot be written, and tries that one again', async () => {
    const other = world.freshAccount();
    const one = await finished([LINE_DOWN]);
    const two = await finished([LINE_DOWN], other);
    const runNo = await begun({ rows: [one, two].map(({ file_id: fileId }) => ({ fileId, line: 1 })) });
    await rename(dropFolder(other), `${dropFolder(other)}-away`);
    expect(await run(runNo)).toBe('later');
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fileId: two.file_id,
        reason: expect.stringContaining('does not exist'),
      }),
    );
    expect([Object.values(await dropped()), await stateOf(runNo)]).toEqual([[1], 'running']);
    await rename(`${dropFolder(other)}-away`, dropFolder(other));
    await run(runNo);
    expect([Object.values(await dropped(other)), await stateOf(runNo)]).toEqual([[1], 'ended']);
  });

  it('leaves out the rest when the send journal shows calls that the ledger had lost', async () => {
    await finished([LINE_DOWN]);
    const runNo = await begun();
    await forceSql(world.app, lostCall(account));
    await run(runNo);
    expect([await dropped(), await stateOf(runNo)]).toEqual([{}, 'ended']);
    expect(await ended(runNo)).toEqual([[[1], 'left_out', expect.stringContaining('the ledger had lost')]]);
  });

  it.each(['commit.before', 'commit.after'] as const)(
    'sends a refused batch again once when its worker dies at %s',
    async (point) => {
      const key = await refused();
      const runNo = await begun({ batches: [key] });
      await dyingAt(point, 'retry', () => run(runNo));
      await run(runNo);
      expect(await stateOf(runNo)).toBe('ended');
      expect(await ended(runNo)).toEqual([[null, 'done', 'sent again']]);
      expect((await world.movesOf(key)).filter((move) => move === 'retry')).toHaveLength(1);
    },
  );

  it('leaves a batch alone that was refused again since it was selected', async () => {
    const key = await refused();
    const runNo = await begun({ batches: [key] });
    await forceSql(world.app, `UPDATE batch SET attempt = attempt + 1 WHERE file_id = '${key.fileId}'`);
    await run(runNo);
    expect(await ended(runNo)).toMatchObject([[null, 'left_out', expect.stringContaining('its state is now refused')]]);
  });

  async function refused(): Promise<BatchKey> {
    const { first } = await world.twoBatches(account);
    const state = `UPDATE batch SET state = 'refused', reason = 'no agent' WHERE file_id = '${first.fileId}' AND batch_no = 1`;
    await forceSql(world.app, state);
    return first;
  }

  it('writes a lost file again, with the same bytes', async () => {
    const file = await finished([LINE_DOWN, LINE_DOWN]);
    await resubmitRows(world.app, file, await planResubmission(world.app, file), ADA);
    const [name] = Object.keys(await dropped());
    const before = await readFile(join(dropFolder(), name!), 'utf8');
    await rm(join(dropFolder(), name!));
    const [{ no }] = (await world.query<{ no: number }>(
      'SELECT resubmission_no AS no FROM resubmission WHERE file_id = $1',
      [file.file_id],
    )) as [{ no: number }];
    const runNo = await begun({ lost: [no] });
    await dyingAt('reprocess.item-chosen', undefined, () => run(runNo));
    await run(runNo);
    expect(await readFile(join(dropFolder(), name!), 'utf8')).toBe(before);
    expect([await ended(runNo), await stateOf(runNo)]).toEqual([[[null, 'done', 'written again']], 'ended']);
  });
});

describe('REPROCESS', () => {
  it('finds a run until it has ended', async () => {
    await finished([LINE_DOWN]);
    const runNo = await begun();
    expect(await dueOf(world.app, REPROCESS)).toContainEqual({ runNo });
    const only = onlyOf(REPROCESS, [{ runNo }]);
    expect(await runOnce(world.app, only)).toBe(1);
    expect([await stateOf(runNo), Object.values(await dropped())]).toEqual(['ended', [1]]);
    expect(await dueOf(world.app, REPROCESS)).not.toContainEqual({ runNo });
  });

  it('leaves a run alone for a while when an item of it failed, and then goes on', async () => {
    await finished([LINE_DOWN]);
    const runNo = await begun();
    const only = onlyOf(REPROCESS, [{ runNo }]);
    await rename(dropFolder(), `${dropFolder()}-away`);
    expect(await runOnce(world.app, only)).toBe(1);
    await rename(`${dropFolder()}-away`, dropFolder());
    expect([await runOnce(world.app, only), await stateOf(runNo)]).toEqual([0, 'running']);
    await endWait(world.app, 'reprocess', String(runNo));
    expect([await runOnce(world.app, only), await stateOf(runNo)]).toEqual([1, 'ended']);
    expect(Object.values(await dropped())).toEqual([1]);
  });
});
