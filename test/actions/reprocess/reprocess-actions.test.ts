import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Order } from '../../../src/actions/run-action.ts';
import { planAction, runAction, type SubjectFinder } from '../../../src/actions/run-action.ts';
import { readPicked } from '../../../src/actions/reprocess/reprocess-actions.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { readProposal } from '../../../src/ledger/proposal/proposals.ts';
import { readReprocess } from '../../../src/ledger/reprocess/judge-items.ts';
import { selectAll } from '../../../src/ledger/reprocess/select-items.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { carryOut } from '../../workers/support/resolve-context.ts';
import { openStepWorld } from '../../workers/support/step-world.ts';
import { takeIn } from '../../workers/support/story.ts';
import { deliverFile } from '../../support/work-alone.ts';

const secondPersonAbove = { payments: 3, money: 60 };
const world = openedForTests(() =>
  openStepWorld({
    accounts: 30,
    special: { strict: { secondPerson: { overrides: true } } },
    settings: { batch: { maxRows: 10 }, reprocess: { secondPersonAbove } },
  }),
);
const ADA = { actor: 'operator:ada', filled: {} };
const BOB = { actor: 'operator:bob', filled: {} };
const WHY = { reason: 'the line to the bank is up again' };

let payment = 0;
let account: string;
beforeEach(() => {
  account = world.freshAccount();
});

/** Makes a finished file whose rows were declined because the line was down; each is 25.00. */
async function declined(rows: number, of = account): Promise<FileRow> {
  const content = Array.from({ length: rows }, () => cardRow((payment += 1)));
  const fileId = await takeIn(world.app, `drop/${of}/card`, lines(content), `june-${payment}.csv`);
  await carryOut(world.app, fileId, () => 'REJECT: 22');
  await deliverFile(world.app, { fileId });
  return readFileRow(world.app.ledger, fileId);
}

const select = (of = account) => selectAll(world.app.ledger, { account: of }, { actor: ADA.actor, reason: 'selected' });
const finderOf =
  (runNo: number): SubjectFinder =>
  async () => ({ kind: 'selection', run: await readReprocess(world.app.ledger.pool, runNo) });
const plan = (runNo: number) => planAction(world.app, 'reprocess', finderOf(runNo), ADA);
const order = (runNo: number, given: Partial<Order> = {}) =>
  runAction(world.app, 'reprocess', finderOf(runNo), { ...ADA, ...WHY, ...given });
const stateOf = async (runNo: number) => (await readReprocess(world.app.ledger.pool, runNo)).state;

async function sendAgain(file: FileRow, line: number): Promise<void> {
  const resubmission = { name: 'again.csv', sha256: 'a', lines: [line], cents: 2_500 };
  await recordResubmission(world.app.ledger, file, resubmission, { actor: BOB.actor, reason: 'by hand' });
  await world.query('UPDATE resubmission SET new_file_id = file_id WHERE file_id = $1', [file.file_id]);
}

describe('reprocess', () => {
  it('plans payments, money and files, and changes nothing', async () => {
    await declined(1);
    const second = await declined(1);
    const runNo = await select();
    const { plan: shown } = await plan(runNo);
    expect(shown).toMatchObject({
      says: [
        `Sends 2 rows, 50.00 USD of account ${account} of 2 files again in as many new files, which are checked like any other.`,
        'Each payment is sent again once. None that is in doubt is among them.',
      ],
      button: 'Reprocess 2 payments',
      isProposal: false,
      listing: {
        rows: [
          ['payments in a new file', second.name, account, '1 row, 25.00 USD', ''],
          ['payments in a new file', expect.any(String), account, '1 row, 25.00 USD', ''],
        ],
      },
    });
    expect(shown.barred).toBeUndefined();
    expect(await stateOf(runNo)).toBe('selected');
    expect(await world.query(`SELECT FROM resubmission WHERE account = '${account}'`)).toEqual([]);
  });

  it('shows a new plan with the difference, and does nothing, when a payment was sent again meanwhile', async () => {
    const file = await declined(2);
    const runNo = await select();
    const { bind } = await plan(runNo);
    await sendAgain(file, 1);
    const changed = await order(runNo, { bind });
    expect(changed).toMatchObject({
      result: 'changed',
      plan: {
        says: expect.arrayContaining(['Left out: 1 row, 25.00 USD: already resubmitted by bob.']),
        button: 'Reprocess 1 payment',
      },
    });
    expect(await stateOf(runNo)).toBe('selected');
  });

  it('asks why', async () => {
    await declined(1);
    const runNo = await select();
    await expect(order(runNo, { reason: ' ' })).rejects.toMatchObject({ code: 'USAGE' });
    expect(await stateOf(runNo)).toBe('selected');
  });

  it('makes one run of eight clicks', async () => {
    await declined(1);
    const runNo = await select();
    const { bind } = await plan(runNo);
    const clicks = await Promise.all(Array.from({ length: 8 }, () => order(runNo, { bind }).catch(() => undefined)));
    expect(clicks.some((click) => click?.result === 'done')).toBe(true);
    expect(await stateOf(runNo)).toBe('running');
    expect(
      await world.query(`SELECT FROM audit WHERE move = 'begin-reprocess' AND evidence->>'selection' = '${runNo}'`),
    ).toHaveLength(1);
    expect(await order(runNo)).toMatchObject({
      done: { says: `Selection ${runNo} was begun before by ada. Nothing was done.`, json: { state: 'running' } },
    });
    expect((await plan(runNo)).plan.barred).toBe('it was begun by ada');
  });

  it('keeps the name that the person gives, without numbers of payers', async () => {
    await declined(1);
    const runNo = await select();
    await order(runNo, { filled: { name: 'Declines of 4111111111111111' } });
    const { name } = await readReprocess(world.app.ledger.pool, runNo);
    expect(name).toMatch(/^Declines of .*1111$/);
    expect(name).not.toContain('4111111111111111');
  });

  it('says that new files wait while the account is paused', async () => {
    await declined(1);
    await pauseAccount(world.app.ledger, account, { actor: ADA.actor, reason: 'audit' });
    const { plan: shown } = await plan(await select());
    expect(shown.says).toContain(`They wait for now: account ${account} is paused by ada: audit.`);
  });

  it.each([
    ['more payments than one person may', 4],
    ['more money than one person may', 3],
  ])('is proposed when it is %s, and begun by another', async (_what, rows) => {
    await declined(rows);
    const runNo = await select();
    const { plan: shown, bind } = await plan(runNo);
    expect(shown).toMatchObject({ isProposal: true, button: `Propose to reprocess ${rows} payments` });
    const ran = await order(runNo, { bind });
    expect(ran).toMatchObject({ done: { status: 'held', json: { state: 'selected', rows } } });
    const { proposalNo } = (ran as unknown as { done: { json: { proposalNo: number } } }).done.json;
    const find: SubjectFinder = async () => ({
      kind: 'proposal',
      proposal: await readProposal(world.app.ledger, proposalNo),
      file: undefined,
    });
    await expect(runAction(world.app, 'confirm', find, ADA)).rejects.toMatchObject({ code: 'SECOND_PERSON' });
    const planned = await planAction(world.app, 'confirm', find, BOB);
    expect(planned.plan.facts).toEqual(expect.arrayContaining([['Payments', String(rows)]]));
    expect(await stateOf(runNo)).toBe('selected');
    await runAction(world.app, 'confirm', find, { ...BOB, bind: planned.bind });
    expect(await readReprocess(world.app.ledger.pool, runNo)).toMatchObject({ state: 'running', begun_by: BOB.actor });
  });

  it('is always proposed for an account that wants two persons', async () => {
    await declined(1, 'strict');
    expect((await plan(await select('strict'))).plan.isProposal).toBe(true);
  });
});

describe('stop-run', () => {
  it('leaves out the rest of a run, and refuses one that does not run', async () => {
    await declined(2);
    const runNo = await select();
    const stop = () => runAction(world.app, 'stop-run', finderOf(runNo), BOB);
    await expect(stop()).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await order(runNo);
    expect(await stop()).toMatchObject({ done: { says: 'Stopped: 2 payments are left out.', json: { leftOut: 2 } } });
  });
});

describe('readPicked', () => {
  it('reads back what a list writes', () => {
    const id = fc.stringMatching(/^[a-z0-9]{4,26}$/);
    const no = fc.integer({ min: 1, max: 999_999 });
    fc.assert(
      fc.property(fc.array(fc.tuple(id, no)), fc.array(fc.tuple(id, no)), fc.array(no), (rows, batches, lost) => {
        const words = [
          ...rows.map(([fileId, line]) => `${fileId}/${line}`),
          ...batches.map(([fileId, batchNo]) => `batch:${fileId}/${batchNo}`),
          ...lost.map((each) => `lost:${each}`),
        ];
        expect(readPicked(words)).toEqual({
          rows: rows.map(([fileId, line]) => ({ fileId, line })),
          batches: batches.map(([fileId, batchNo]) => ({ fileId, batchNo })),
          lost,
        });
      }),
      { numRuns: 100 },
    );
  });

  it.each(['', 'a', 'a/0', 'a/1/2', 'lost:a/1', 'batch:1', '/1', 'run:1', 'A B/1', 'a/99999999999'])(
    'refuses "%s"',
    (word) => {
      expect(() => readPicked([word])).toThrow('is no choice');
    },
  );
});
