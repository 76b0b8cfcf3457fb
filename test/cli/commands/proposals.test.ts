import { userInfo } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { readAudit } from '../../../src/ledger/file/search.ts';
import { fileNamed } from '../../support/bad-input.ts';
import { CARD, cardRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { SAY_WHY } from '../../../src/cli/option-values.ts';
import { ERRORS } from '../../../schemas/errors.ts';

const ME = `operator:${userInfo().username}`;

describe('proposals', () => {
  const OTHER = { actor: 'operator:somebody-else', reason: 'Ms Byron confirms it' };
  const NAMES = ['mine.csv', 'theirs.csv', 'unwanted.csv'];

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
      const plan = await world.paydrop('approve', 'mine.csv', '--plan');
      expect(plan.out).toContain('You propose to send 2 rows, 50.00 USD.');
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
    });

    it('does what another has proposed, once', async () => {
      const no = await proposed('theirs.csv');
      const { status, out } = await world.paydrop('confirm', String(no));
      expect(status).toBe(0);
      expect(out).toContain('Confirmed: ');
      expect(out).toContain(`Proposal ${no} for theirs.csv was made by somebody-else: Ms Byron confirms it.`);
      expect(await world.paydrop('confirm', String(no))).toMatchObject({ status: 5, out: '' });
    });

    it.each(['0', 'seven'])('wants a number, not "%s"', async (words) => {
      expect(await world.paydrop('confirm', '--', words)).toMatchObject({ status: 1, out: '' });
    });

    it('says that a number is not known', async () => {
      expect(await world.paydrop('confirm', '4711')).toMatchObject({ status: 1, out: '' });
    });
  });

  describe('refuse', () => {
    it('ends a proposal', async () => {
      const no = await proposed('unwanted.csv');
      const { status, out } = await world.paydrop('refuse', String(no), '--reason', 'the list is old');
      expect(status).toBe(0);
      expect(out).toMatch(new RegExp(`^Refused: [^]*Proposal ${no} for unwanted.csv`));
      expect((await world.paydrop('proposals')).out).not.toContain('unwanted.csv');
    });

    it('needs no reason, and lets the maker take it back', async () => {
      const [open] = JSON.parse((await world.paydrop('proposals', '--json')).out) as { proposal_no: number }[];
      expect(await world.paydrop('refuse', String(open!.proposal_no))).toMatchObject({ status: 0, err: '' });
      expect(await world.paydrop('proposals')).toMatchObject({ out: 'No open proposals.\n' });
    });
  });
});

describe('approve and decline', () => {
  const world = openedForTests(() => openCliWorld({ folder: { badRows: { maxPercent: 50 } } }));
  beforeAll(async () => {
    for (const [index, name] of ['wanted.csv', 'unwanted.csv', 'json.csv'].entries()) {
      // A control file that disagrees holds the file.
      await world.drop('card', `${name}.ctl`, 'rows=99\n');
      const rows = [cardRow(10 * index + 1), cardRow(10 * index + 2), cardRow(10 * index + 3, { amount: 'ten' })];
      await world.drop('card', name, lines(rows));
    }
    await world.finish();
  });

  it('approve wants a reason and a file that is known', async () => {
    expect(await world.paydrop('approve', 'wanted.csv')).toMatchObject({ status: 1, out: '' });
    const empty = await world.paydrop('approve', 'wanted.csv', '--reason', ' ');
    const err = `Cannot do "Approve": the reason is empty. ${SAY_WHY}\n`;
    expect(empty).toEqual({ status: 1, out: '', err });
    expect(await world.paydrop('approve', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
  });

  it('approve shows a plan without a reason, and changes nothing', async () => {
    expect(await world.says('approve', 'wanted.csv', '--plan')).toMatch(
      /^2 rows, 50\.00 USD will be sent\.[^]*This is a plan; nothing was changed\.\n$/,
    );
    expect(await world.states()).toMatchObject({ 'wanted.csv': 'held' });
  });

  it('approve lets a held file go on, and records who and why with long numbers hidden', async () => {
    const out = await world.says('approve', 'wanted.csv', '--reason', `meant so, card ${CARD}`);
    expect(out.split('\n')).toEqual([
      'Approved: 2 rows, 50.00 USD will be sent.',
      '1 invalid row stays back and is not paid if the file is approved: 1 amount unreadable.',
      `Needs approval because ${ERRORS.CONTROL_TOTALS.means}: it says 99 rows, the file has 3.`,
      '',
      'To see its state:',
      expect.stringMatching(/^ {2}.*why [0-9a-z]{16}$/),
      '',
    ]);
    const { file_id: fileId } = await fileNamed(world, 'wanted.csv');
    expect((await readAudit(world.app.ledger, fileId)).at(-1)).toMatchObject({
      move: 'approve',
      actor: ME,
      reason: 'meant so, card ************2220',
    });
    const again = await world.paydrop('approve', 'wanted.csv', '--reason', 'again');
    expect(again).toMatchObject({ status: 5, out: '' });
    expect(again.err).toMatch(
      /^Cannot do "Approve" with this file: its state is queued; it must be needs approval\. See "paydrop why/,
    );
  });

  it('approve prints JSON on request', async () => {
    const out = await world.says('approve', 'json.csv', '--reason', 'meant so', '--json');
    expect(JSON.parse(out)).toMatchObject({
      name: 'json.csv',
      state: 'accepted',
      rows: 2,
      cents: 5_000,
      withheldRows: 1,
      held: [{ code: 'CONTROL_TOTALS', count: 1, detail: 'it says 99 rows, the file has 3' }],
    });
  });

  it('approve does not promise to send what the send journal knows as sent', async () => {
    await world.app.ledger.pool.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since)
       SELECT 'forgotten', 1, 1, f.account, f.merchant_no, b.body_sha256, now(), now()
       FROM batch b JOIN file f USING (file_id) WHERE f.name = 'unwanted.csv'`,
    );
    await world.drop('card', 'restored.csv', lines([cardRow(11), cardRow(12)]));
    await world.finish();
    const out = await world.says('approve', 'restored.csv', '--reason', 'to see');
    expect(out).toContain('the send journal shows that rows of the file were sent before');
    expect(out).toContain('Batches sent before are not sent again');
    const [, fileId = ''] = /why ([0-9a-z]{16})$/m.exec(out) ?? [];
    expect(await world.says('why', fileId)).toContain(`"paydrop cancel ${fileId}/1 --reason …"`);
  });

  it('decline stops a held file for good', async () => {
    expect(await world.says('decline', 'unwanted.csv', '--reason', 'sent twice on 2026-06-15')).toBe(
      'Declined: 2 rows, 50.00 USD will never be sent.\n',
    );
    expect(await world.paydrop('decline', 'unwanted.csv', '--reason', 'again')).toMatchObject({ status: 5 });
  });
});
