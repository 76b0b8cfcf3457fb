import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { achRow, CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { answering } from '../../workers/support/scripted-gateway.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { loseQueue, query } from '../../workers/support/story.ts';

const because = { actor: 'operator:ada', reason: 'wait' };

describe('retry and withdraw', () => {
  const world = openedForTests(() => openCliWorld({ settings: { batch: { maxRows: 2 } } }));

  beforeAll(async () => {
    await pauseAccount(world.app.ledger, 'main', because);
    for (const [index, name] of ['fixed.csv', 'next.csv'].entries())
      await world.drop('ach-charge', name, lines(upTo(2).map((n) => achRow(10 * index + n))));
    await world.finish();
    await resumeAccount(world.app.ledger, 'main', because);
  });

  async function refuse(name: string): Promise<void> {
    const { file_id: fileId } = await findFile(world.app.ledger, name);
    const refused = { kind: 'refused', text: 'Agent code has not been set up', code: 1 } as const;
    await submitBatch(answering(world.app, refused).app, { fileId, batchNo: 1 });
  }

  it.each(['retry', 'withdraw'])('%s wants a reason and a batch that is refused', async (verb) => {
    expect(await world.paydrop(verb, 'fixed.csv/1')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop(verb, 'fixed.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop(verb, 'fixed.csv/1', '--reason', 'x')).toMatchObject({ status: 5, out: '' });
  });

  it('retry sends it again as its next attempt, and the account goes on', async () => {
    await refuse('fixed.csv');
    const plan = await world.paydrop('retry', 'fixed.csv/1', '--plan');
    expect(plan.out).toContain('2 rows, 50.00 USD will be sent again, as attempt 2.');
    expect(plan.out).toContain('Agent code has not been set up');
    const { status, out, err } = await world.paydrop('retry', 'fixed.csv/1', '--reason', 'the password is the new one');
    expect({ status, out, err }).toEqual({
      status: 0,
      out: 'It will be sent again: batch 1 of fixed.csv, 2 rows, 50.00 USD.\n',
      err: '',
    });
    const { rows } = await world.app.ledger.pool.query(
      `SELECT attempt FROM batch WHERE state = 'ready' ORDER BY 1 DESC`,
    );
    expect(rows).toEqual([{ attempt: 2 }, { attempt: 1 }]);
  });

  it('withdraw gives it up, and its file ends with its rows as never sent', async () => {
    await refuse('fixed.csv');
    const { out } = await world.paydrop('withdraw', 'fixed.csv/1', '--reason', 'sent by hand', '--json');
    expect(JSON.parse(out)).toMatchObject({ state: 'cancelled', fileState: 'partly_cancelled', rows: 2, cents: 5_000 });
    const moved = await query(world.app, `SELECT reason FROM audit WHERE move = 'withdraw'`);
    expect(moved).toEqual([{ reason: 'sent by hand' }]);
    await world.finish();
    expect(await world.states()).toEqual({ 'fixed.csv': 'partly_cancelled', 'next.csv': 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['A-11', 'A-12']);
    const rejects = await world.outputs('rejects');
    expect(Object.values(rejects).join('')).toMatch(/A-1,.*never sent/);
  });
});

describe('cancel', () => {
  const world = openedForTests(() => openCliWorld({ settings: { batch: { maxRows: 2 } } }));
  beforeAll(async () => {
    await pauseAccount(world.app.ledger, 'main', because);
    for (const [index, name] of ['recalled.csv', 'partly.csv'].entries())
      await world.drop('ach-charge', name, lines(upTo(4).map((n) => achRow(10 * index + n))));
    await world.finish();
  });

  it('wants a reason and something that is known', async () => {
    expect(await world.paydrop('cancel', 'recalled.csv')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('cancel', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('cancel', 'recalled.csv/9', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
  });

  it('stops a file and a batch before they are sent, and the sender is told', async () => {
    const { status, out } = await world.paydrop('cancel', 'recalled.csv', '--reason', 'the sender recalls it');
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Cancelled: 4 rows, 100.00 USD will never be sent.\nrecalled.csv is cancelled; its output files follow.\n',
    });
    const batch = await world.paydrop('cancel', 'partly.csv/2', '--reason', 'wrong amounts');
    expect(batch.out).toMatch(/^Cancelled: 2 rows, 50\.00 USD will never be sent\.\nGoing on: batch 1 \(queued\)\./);
    await resumeAccount(world.app.ledger, 'main', because);
    await world.finish();
    expect(await world.states()).toEqual({ 'recalled.csv': 'cancelled', 'partly.csv': 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['A-11', 'A-12']);
    expect(Object.values(await world.outputs('cancelled')).join('')).toContain('Reason,the sender recalls it');
    const [result = ''] = Object.values(await world.outputs('result'));
    expect(result.match(/NOT_SENT/g)).toHaveLength(2);
    const [rejects = ''] = Object.values(await world.outputs('rejects'));
    expect(rejects).toMatch(/A-13.*never sent[^]*A-14.*never sent/);
  });

  it('is refused when it is over', async () => {
    const { status, err } = await world.paydrop('cancel', 'partly.csv', '--reason', 'too late');
    expect(status).toBe(5);
    expect(err).toContain('its state is completed');
  });
});

describe('requeue', () => {
  const world = openedForTests(openCliWorld);
  beforeAll(async () => {
    await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
    await world.drop('ach-charge', 'june.csv', lines(upTo(2).map((n) => achRow(n))));
    await world.finish();
    await loseQueue(world.app);
  });

  it('rings for the stages of a file, which send nothing while the account is paused', async () => {
    const { status, out, err } = await world.paydrop('requeue', 'june.csv');
    expect({ status, out, err }).toEqual({ status: 0, out: 'Rang for: submit of batch 1, deliver.\n', err: '' });
    for (const stage of ['submit', 'deliver'] as const)
      expect(await world.app.queue.counts(stage)).toMatchObject({ waiting: 1 });
    await world.finish();
    expect(world.sandbox.books()).toEqual([]);
  });

  it('says when there is nothing to ring for', async () => {
    await query(world.app, `UPDATE batch SET state = 'cancelled'`);
    const { status, out } = await world.paydrop('requeue', 'june.csv/1');
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Nothing to ring for: its state is cancelled. See "paydrop why june.csv/1".\n',
    });
    expect(JSON.parse((await world.paydrop('requeue', 'june.csv/1', '--json')).out)).toMatchObject({ asked: [] });
  });

  it('wants something that is known', async () => {
    expect(await world.paydrop('requeue', 'nobody.csv')).toMatchObject({ status: 1, out: '' });
  });
});

describe('rebuild-outputs', () => {
  const world = openedForTests(openCliWorld);
  beforeAll(async () => {
    await world.drop('card', 'june.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
  });

  it('says that every output is whole', async () => {
    const { status, out, err } = await world.paydrop('rebuild-outputs', 'june.csv');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/june__.{8}\.result\.csv +same +same/);
    expect(out).toContain('Every output is intact.');
  });

  it('says which one is missing, and brings it back', async () => {
    const names = await readdir(world.settings.paths.out);
    const result = names.find((name) => name.endsWith('.result.csv'))!;
    await rm(join(world.settings.paths.out, result));
    const { status, out } = await world.paydrop('rebuild-outputs', 'june.csv', '--json');
    expect(status).toBe(5);
    expect(JSON.parse(out)).toMatchObject({ name: 'june.csv' });
    expect((JSON.parse(out) as { outputs: object[] }).outputs).toContainEqual({
      kind: 'result',
      name: result,
      onDisk: 'missing',
      rebuilt: 'same',
    });
    const brought = await world.paydrop('rebuild-outputs', 'june.csv', '--out', world.settings.paths.out);
    expect(brought).toMatchObject({ status: 0, err: '' });
    expect((await readdir(world.settings.paths.out)).toSorted()).toEqual(names.toSorted());
  });

  it('wants a file that is known', async () => {
    expect(await world.paydrop('rebuild-outputs', 'nobody.csv')).toMatchObject({ status: 1, out: '' });
  });
});

describe('reprocess', () => {
  const world = openedForTests(() =>
    openCliWorld({
      folder: { sameTotals: 'off' },
      settings: { reprocess: { secondPersonAbove: { payments: 2, money: 1_000 } } },
    }),
  );
  const WHY = ['--reason', 'the line to the bank is up again'];

  beforeAll(async () => {
    const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00' });
    await world.drop('card', 'monday.csv', lines([declined(1), cardRow(2)]));
    await world.drop('card', 'tuesday.csv', lines([declined(3), cardRow(4, { card: CARD })]));
    await world.drop('card', 'wednesday.csv', lines([declined(5), declined(6), declined(7)]));
    await world.finish();
  });

  async function json<Shape>(...words: string[]): Promise<Shape> {
    const { out, err } = await world.paydrop(...words, '--json');
    expect(err).toBe('');
    return JSON.parse(out) as Shape;
  }

  /** Selects these payments. @returns the number of the selection */
  async function select(...names: readonly string[]): Promise<string> {
    const { rows } = await world.app.ledger.pool.query<{ item: string }>(
      `SELECT f.file_id || '/' || r.line AS item FROM file f JOIN row_outcome r USING (file_no)
     WHERE f.name = ANY ($1) AND r.outcome = 'declined' ORDER BY f.file_no, r.line`,
      [names],
    );
    const { out } = await world.paydrop('reprocess', 'select', '--items', rows.map(({ item }) => item).join(','));
    return / reprocess run (\d+)/.exec(out)![1]!;
  }

  describe('a run', () => {
    it('says that nothing was selected', async () => {
      expect(await world.paydrop('reprocess', 'list')).toEqual({
        status: 0,
        out: 'Nothing was selected yet.\n',
        err: '',
      });
    });

    it.each([
      [['select', '--advice', 'soon'], 'is no advice'],
      [['select', '--items', 'monday.csv'], 'is no choice'],
      [['run', 'monday', ...WHY], 'is not the number of a selection'],
      [['run', '4711', ...WHY], 'selection 4711'],
      [['run', '1'], 'reason'],
    ])('refuses %j', async (words, says) => {
      const { status, out, err } = await world.paydrop('reprocess', ...words);
      expect({ isRefused: status > 0, out }).toEqual({ isRefused: true, out: '' });
      expect(err).toContain(says);
    });

    it('shows what would go, and does it file by file, once', async () => {
      const no = await select('monday.csv', 'tuesday.csv');
      const planned = await world.paydrop('reprocess', 'run', no, '--plan');
      expect(planned.out).toContain('Sends 2 rows, 4.00 USD of account main of 2 files again in as many new files');
      expect(planned.out).toContain('nothing was changed');
      const ran = await world.paydrop('reprocess', 'run', no, ...WHY, '--name', 'Declines of June');
      expect(ran).toMatchObject({ status: 0, err: '' });
      await world.finish();
      const { selection, items } = await json<{ selection: object; items: object[] }>('reprocess', 'show', no);
      expect(selection).toMatchObject({ state: 'ended', name: 'Declines of June', reason: WHY[1] });
      expect(items).toEqual(
        ['tuesday.csv', 'monday.csv'].map((name) =>
          expect.objectContaining({ name, lines: [1], result: 'done', newFileId: expect.any(String) }),
        ),
      );
      expect(Object.keys(await world.states()).filter((name) => name.includes('-again-'))).toHaveLength(2);
      const shown = await world.paydrop('reprocess', 'show', no);
      expect(shown.out).toContain('Declines of June: the line to the bank is up again');
      expect((await world.paydrop('reprocess', 'list')).out).toMatch(/Declines of June +done +2 +2 +0/);
    });

    it('is a proposal when it is much, and can be stopped', async () => {
      const no = await select('wednesday.csv');
      const proposed = await world.paydrop('reprocess', 'run', no, ...WHY);
      expect(proposed).toMatchObject({ status: 3, err: '' });
      expect(proposed.out).toContain('Another person must confirm it');
      expect(await json('proposals')).toMatchObject([{ action: 'reprocess', run_no: Number(no), rows: 3, cents: 600 }]);
      expect(await world.paydrop('reprocess', 'stop', no)).toMatchObject({ status: 5, out: '' });
      const plan = await world.paydrop('reprocess', 'stop', no, '--plan');
      expect([plan.status, plan.out]).toEqual([5, expect.stringContaining('It cannot be done: it is selected.')]);
    });

    it('takes everything of an account with an advice', async () => {
      const { status, err } = await world.paydrop('reprocess', 'select', '--account', 'main', '--advice', 'later');
      expect([status, err]).toEqual([5, expect.stringContaining('none that may go again. Choose another account or')]);
    });
  });
});
