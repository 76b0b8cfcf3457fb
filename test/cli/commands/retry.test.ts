import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { achRow, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { answering } from '../../workers/support/scripted-gateway.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { loseQueue, query } from '../../workers/support/story.ts';
import { submitBatch } from '../../support/work-alone.ts';

/** What these commands say, and with which status; test/actions and test/ledger test what they do. */

const because = { actor: 'operator:ada', reason: 'wait' };

const world = openedForTests(() =>
  openCliWorld({
    folder: { sameTotals: 'off' },
    settings: { batch: { maxRows: 2 }, reprocess: { secondPersonAbove: { payments: 2, money: 1_000 } } },
  }),
);

beforeAll(async () => {
  const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'monday.csv', lines([declined(1), cardRow(2)]));
  await world.drop('card', 'tuesday.csv', lines([declined(3), cardRow(4)]));
  await world.drop('card', 'wednesday.csv', lines([declined(5), declined(6), declined(7)]));
  await world.finish();
  await pauseAccount(world.app.ledger, 'main', because);
  for (const [index, name] of ['fixed.csv', 'recalled.csv', 'partly.csv'].entries())
    await world.drop('ach-charge', name, lines(upTo(4).map((n) => achRow(10 * index + n))));
  await world.finish();
  await resumeAccount(world.app.ledger, 'main', because);
});

describe('retry and withdraw', () => {
  async function refuse(): Promise<void> {
    const { file_id: fileId } = await findFile(world.app.ledger, 'fixed.csv');
    const refused = { kind: 'refused', text: 'Agent code has not been set up', code: 1 } as const;
    await submitBatch(answering(world.app, refused).app, { fileId, batchNo: 1 });
  }

  it.each(['retry', 'withdraw'])('%s wants a reason and a batch that is refused', async (verb) => {
    expect(await world.paydrop(verb, 'fixed.csv/1')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop(verb, 'fixed.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop(verb, 'fixed.csv/1', '--reason', 'x')).toMatchObject({ status: 5, out: '' });
  });

  it('retry sends it again as its next attempt', async () => {
    await refuse();
    const plan = await world.says('retry', 'fixed.csv/1', '--plan');
    expect(plan).toContain('2 rows, 50.00 USD will be sent again, as attempt 2.');
    expect(plan).toContain('Agent code has not been set up');
    expect(await world.says('retry', 'fixed.csv/1', '--reason', 'the password is the new one')).toBe(
      'It will be sent again: batch 1 of fixed.csv, 2 rows, 50.00 USD.\n',
    );
  });

  it('withdraw gives it up', async () => {
    await refuse();
    const out = await world.says('withdraw', 'fixed.csv/1', '--reason', 'sent by hand', '--json');
    expect(JSON.parse(out)).toMatchObject({ state: 'cancelled', rows: 2, cents: 5_000 });
  });
});

describe('cancel', () => {
  it('wants a reason and something that is known', async () => {
    expect(await world.paydrop('cancel', 'recalled.csv')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('cancel', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('cancel', 'recalled.csv/9', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
  });

  it('stops a file or a batch, and says what of it goes on', async () => {
    expect(await world.says('cancel', 'recalled.csv', '--reason', 'the sender recalls it')).toBe(
      'Cancelled: 4 rows, 100.00 USD will never be sent.\nrecalled.csv is cancelled; its output files follow.\n',
    );
    expect(await world.says('cancel', 'partly.csv/2', '--reason', 'wrong amounts')).toMatch(
      /^Cancelled: 2 rows, 50\.00 USD will never be sent\.\nGoing on: batch 1 \(queued\)\./,
    );
  });

  it('is refused when it is over', async () => {
    const { status, err } = await world.paydrop('cancel', 'monday.csv', '--reason', 'too late');
    expect(status).toBe(5);
    expect(err).toContain('its state is completed');
  });
});

describe('requeue', () => {
  it('rings for the stages of a file, and says when there is nothing to ring for', async () => {
    await loseQueue(world.app);
    expect(await world.says('requeue', 'partly.csv')).toBe('Rang for: submit of batch 1, deliver.\n');
    expect(await world.says('requeue', 'recalled.csv/1')).toBe(
      'Nothing to ring for: its state is cancelled. See "paydrop why recalled.csv/1".\n',
    );
    expect(JSON.parse(await world.says('requeue', 'recalled.csv/1', '--json'))).toMatchObject({ asked: [] });
    expect(await world.paydrop('requeue', 'nobody.csv')).toMatchObject({ status: 1, out: '' });
  });
});

describe('rebuild-outputs', () => {
  it('says that every output is whole', async () => {
    const out = await world.says('rebuild-outputs', 'monday.csv');
    expect(out).toMatch(/monday__.{8}\.result\.csv +same +same/);
    expect(out).toContain('Every output is intact.');
  });

  it('says which one is missing, and brings it back', async () => {
    const names = await readdir(world.settings.paths.out);
    const result = names.find((name) => /^monday__.*\.result\.csv$/.test(name))!;
    await rm(join(world.settings.paths.out, result));
    const { status, out } = await world.paydrop('rebuild-outputs', 'monday.csv', '--json');
    expect(status).toBe(5);
    expect(JSON.parse(out)).toMatchObject({
      name: 'monday.csv',
      outputs: expect.arrayContaining([{ kind: 'result', name: result, onDisk: 'missing', rebuilt: 'same' }]),
    });
    await world.says('rebuild-outputs', 'monday.csv', '--out', world.settings.paths.out);
    expect((await readdir(world.settings.paths.out)).toSorted()).toEqual(names.toSorted());
  });

  it('wants a file that is known', async () => {
    expect(await world.paydrop('rebuild-outputs', 'nobody.csv')).toMatchObject({ status: 1, out: '' });
  });
});

describe('reprocess', () => {
  const WHY = ['--reason', 'the line to the bank is up again'];

  /** Selects these payments. @returns the number of the selection */
  async function select(...names: readonly string[]): Promise<string> {
    const rows = await query<{ item: string }>(
      world.app,
      `SELECT f.file_id || '/' || r.line AS item FROM file f JOIN row_outcome r USING (file_no)
     WHERE f.name = ANY ($1) AND r.outcome = 'declined' ORDER BY f.file_no, r.line`,
      [names],
    );
    const out = await world.says('reprocess', 'select', '--items', rows.map(({ item }) => item).join(','));
    return / reprocess run (\d+)/.exec(out)![1]!;
  }

  it('says that nothing was selected', async () => {
    expect(await world.says('reprocess', 'list')).toBe('Nothing was selected yet.\n');
  });

  it.each([
    [['select', '--advice', 'soon'], 1, 'is no advice'],
    [['select', '--items', 'monday.csv'], 1, 'is no choice'],
    [['select', '--account', 'main', '--advice', 'later'], 5, 'none that may go again. Choose another account or'],
    [['run', 'monday', ...WHY], 1, 'is not the number of a selection'],
    [['run', '4711', ...WHY], 1, 'selection 4711'],
    [['run', '1'], 1, 'reason'],
  ] as const)('refuses %j', async (words, status, says) => {
    expect(await world.paydrop('reprocess', ...words)).toEqual({ status, out: '', err: expect.stringContaining(says) });
  });

  it('shows what would go, does it, and shows what became of it', async () => {
    const no = await select('monday.csv', 'tuesday.csv');
    const planned = await world.says('reprocess', 'run', no, '--plan');
    expect(planned).toContain('Sends 2 rows, 4.00 USD of account main of 2 files again in as many new files');
    expect(planned).toContain('nothing was changed');
    await world.says('reprocess', 'run', no, ...WHY, '--name', 'Declines of June');
    await world.finish();
    const { selection, items } = JSON.parse(await world.says('reprocess', 'show', no, '--json'));
    expect(selection).toMatchObject({ state: 'ended', name: 'Declines of June', reason: WHY[1] });
    expect(items).toEqual(
      ['tuesday.csv', 'monday.csv'].map((name) =>
        expect.objectContaining({ name, lines: [1], result: 'done', newFileId: expect.any(String) }),
      ),
    );
    const shown = await world.says('reprocess', 'show', no);
    expect(shown).toContain('Declines of June: the line to the bank is up again');
    expect(await world.says('reprocess', 'list')).toMatch(/Declines of June +done +2 +2 +0/);
  });

  it('is a proposal when it is much, and can be stopped', async () => {
    const no = await select('wednesday.csv');
    const proposed = await world.paydrop('reprocess', 'run', no, ...WHY);
    expect(proposed).toMatchObject({ status: 3, err: '' });
    expect(proposed.out).toContain('Another person must confirm it');
    expect(JSON.parse(await world.says('proposals', '--json'))).toMatchObject([
      { action: 'reprocess', run_no: Number(no), rows: 3, cents: 600 },
    ]);
    expect(await world.paydrop('reprocess', 'stop', no)).toMatchObject({ status: 5, out: '' });
    const plan = await world.paydrop('reprocess', 'stop', no, '--plan');
    expect([plan.status, plan.out]).toEqual([5, expect.stringContaining('It cannot be done: it is selected.')]);
  });
});
