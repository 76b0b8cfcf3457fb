import { userInfo } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { readAudit } from '../../../src/ledger/file/search.ts';
import { fileNamed } from '../../support/bad-input.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const ME = `operator:${userInfo().username}`;
const OTHER = { actor: 'operator:somebody-else', reason: 'Ms Byron confirms it' };
const NAMES = ['mine.csv', 'theirs.csv', 'unwanted.csv', 'changed.csv', 'declined.csv'];

const world = openedForTests(() =>
  openCliWorld({ account: { secondPerson: { overrides: true } }, folder: { sameTotals: 'off' } }),
);
beforeAll(async () => {
  for (const [index, name] of NAMES.entries()) {
    await world.drop('card', `${name}.ctl`, 'rows=99\n');
    await world.drop('card', name, lines([cardRow(2 * index + 1), cardRow(2 * index + 2)]));
  }
  await world.finish();
});

async function proposed(name: string): Promise<number> {
  return proposeApproval(world.app.ledger, (await fileNamed(world, name)).file_id, OTHER);
}

describe('proposals', () => {
  it('says that nothing waits, and then what does, with file, money, person and what to do', async () => {
    expect(await world.paydrop('proposals')).toEqual({ status: 0, out: 'No open proposals.\n', err: '' });
    const approve = await world.paydrop('approve', 'mine.csv', '--reason', 'meant so');
    expect(approve).toMatchObject({ status: 3, err: '' });
    const [, no] = /Proposed: 2 rows, [^]*confirm (\d+)$/m.exec(approve.out)!;
    const { file_id: fileId } = await fileNamed(world, 'mine.csv');
    const listed = await world.paydrop('proposals');
    for (const part of [no!, fileId, 'mine.csv', 'approve', '50.00', ME, 'meant so', 'paydrop confirm NO']) {
      expect(listed.out).toContain(part);
    }
    const [first] = JSON.parse((await world.paydrop('proposals', '--json')).out) as unknown[];
    expect(first).toMatchObject({ proposal_no: Number(no), file_id: fileId, made_by: ME, rows: 2, cents: 5_000 });
    expect((await world.paydrop('status')).out).toContain('Waiting for a second person');
  });

  it('takes one proposal of a file at a time', async () => {
    const again = await world.paydrop('approve', 'mine.csv', '--reason', 'once more');
    expect(again).toMatchObject({ status: 5, out: '' });
    expect(again.err).toContain('paydrop proposals');
  });
});

describe('confirm', () => {
  it('is refused to the person who proposed it', async () => {
    const [open] = JSON.parse((await world.paydrop('proposals', '--json')).out) as { proposal_no: number }[];
    const { status, out, err } = await world.paydrop('confirm', String(open!.proposal_no));
    expect({ status, out }).toEqual({ status: 5, out: '' });
    expect(err).toContain('Ask another person');
    expect(await world.states()).toMatchObject({ 'mine.csv': 'held' });
  });

  it('does what another has proposed, and both stand in the trail', async () => {
    const no = await proposed('theirs.csv');
    const { status, out } = await world.paydrop('confirm', String(no));
    expect(status).toBe(0);
    expect(out).toContain('Confirmed: ');
    expect(out).toContain(`Proposal ${no} for theirs.csv was made by somebody-else: Ms Byron confirms it.`);
    const { file_id: fileId, state } = await fileNamed(world, 'theirs.csv');
    expect(state).toBe('accepted');
    const links = await readAudit(world.app.ledger, fileId);
    expect(links.slice(-3).map(({ move, actor }) => [move, actor])).toEqual([
      ['propose', OTHER.actor],
      ['confirm', ME],
      ['approve', ME],
    ]);
    expect(await world.paydrop('confirm', String(no))).toMatchObject({ status: 5, out: '' });
  });

  it('does nothing when the file is not what it was', async () => {
    const no = await proposed('changed.csv');
    await world.app.ledger.pool.query(`UPDATE file SET valid_cents = valid_cents + 1 WHERE name = 'changed.csv'`);
    const { status, err } = await world.paydrop('confirm', String(no));
    expect(status).toBe(5);
    expect(err).toContain('make a new proposal');
    expect(await world.states()).toMatchObject({ 'changed.csv': 'held' });
  });

  it.each(['0', '-1', 'seven', '1e3', '12345678901234567890'])('wants a number, not "%s"', async (words) => {
    expect(await world.paydrop('confirm', '--', words)).toMatchObject({ status: 1, out: '' });
  });

  it('says that a number is not known', async () => {
    expect(await world.paydrop('confirm', '4711')).toMatchObject({ status: 1, out: '' });
  });
});

describe('refuse', () => {
  it('ends a proposal, and the file waits as before', async () => {
    const no = await proposed('unwanted.csv');
    const { status, out } = await world.paydrop('refuse', String(no), '--reason', 'the list is old');
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`^Refused: [^]*Proposal ${no} for unwanted.csv`));
    const { file_id: fileId, state } = await fileNamed(world, 'unwanted.csv');
    expect(state).toBe('held');
    const links = await readAudit(world.app.ledger, fileId);
    expect(links.at(-1)).toMatchObject({ move: 'refuse-proposal', actor: ME, reason: 'the list is old' });
    expect((await world.paydrop('proposals')).out).not.toContain('unwanted.csv');
  });

  it('needs no reason, and lets the maker take it back', async () => {
    const [open] = JSON.parse((await world.paydrop('proposals', '--json')).out) as { proposal_no: number }[];
    expect(await world.paydrop('refuse', String(open!.proposal_no))).toMatchObject({ status: 0, err: '' });
    expect(await world.paydrop('proposals')).toMatchObject({ out: 'No open proposals.\n' });
  });
});

describe('decline', () => {
  it('needs one person, sends nothing, and ends the proposal', async () => {
    const no = await proposed('declined.csv');
    expect(await world.paydrop('decline', 'declined.csv', '--reason', 'twice')).toMatchObject({ status: 0 });
    expect(await world.paydrop('confirm', String(no))).toMatchObject({ status: 5 });
    expect(await world.states()).toMatchObject({ 'declined.csv': 'cancelled' });
  });
});
