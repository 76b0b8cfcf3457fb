import { userInfo } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { SAY_WHY } from '../../../src/cli/read-reason.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { CARD, cardRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

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

async function lastLink(name: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await world.app.ledger.pool.query<Record<string, unknown>>(
    `SELECT a.actor, a.reason, a.move FROM audit a JOIN file f USING (file_id)
     WHERE f.name = $1 AND a.move IN ('approve', 'decline') ORDER BY a.seq DESC LIMIT 1`,
    [name],
  );
  return rows[0];
}

describe('approve', () => {
  it('wants a reason and a file that is known', async () => {
    expect(await world.paydrop('approve', 'wanted.csv')).toMatchObject({ status: 1, out: '' });
    const empty = await world.paydrop('approve', 'wanted.csv', '--reason', ' ');
    const err = `Cannot do "Approve": the reason is empty. ${SAY_WHY}\n`;
    expect(empty).toEqual({ status: 1, out: '', err });
    expect(await world.paydrop('approve', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.states()).toMatchObject({ 'wanted.csv': 'held' });
  });

  it('shows a plan without a reason, and changes nothing', async () => {
    const { status, out } = await world.paydrop('approve', 'wanted.csv', '--plan');
    expect(status).toBe(0);
    expect(out).toMatch(/^2 rows, 50\.00 USD will be sent\.[^]*This is a plan; nothing was changed\.\n$/);
    expect(await world.states()).toMatchObject({ 'wanted.csv': 'held' });
  });

  it('lets a held file go on, and records who and why with long numbers hidden', async () => {
    const { status, out, err } = await world.paydrop('approve', 'wanted.csv', '--reason', `meant so, card ${CARD}`);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out.split('\n')).toEqual([
      'Approved: 2 rows, 50.00 USD will be sent.',
      '1 invalid row stays back and is not paid if the file is approved: 1 amount unreadable.',
      `Held because of CONTROL_TOTALS: ${ERRORS.CONTROL_TOTALS.means}: it says 99 rows, the file has 3.`,
      '',
      'To see its state:',
      expect.stringMatching(/^ {2}.*why [0-9a-z]{16}$/),
      '',
    ]);
    expect(await world.states()).toMatchObject({ 'wanted.csv': 'accepted' });
    expect(await lastLink('wanted.csv')).toEqual({
      move: 'approve',
      actor: `operator:${userInfo().username}`,
      reason: 'meant so, card ************2220',
    });
  });

  it('keeps in the audit trail what it overrode', async () => {
    const { rows } = await world.app.ledger.pool.query<{ evidence: unknown }>(
      `SELECT a.evidence FROM audit a JOIN file f USING (file_id) WHERE f.name = 'wanted.csv' AND a.move = 'approve'`,
    );
    expect(rows).toEqual([{ evidence: { overrides: ['CONTROL_TOTALS'] } }]);
  });

  it('prints JSON on request', async () => {
    const { out } = await world.paydrop('approve', 'json.csv', '--reason', 'meant so', '--json');
    expect(JSON.parse(out)).toMatchObject({
      name: 'json.csv',
      state: 'accepted',
      rows: 2,
      cents: 5_000,
      withheldRows: 1,
      held: [{ code: 'CONTROL_TOTALS', count: 1, detail: 'it says 99 rows, the file has 3' }],
    });
  });

  it('is refused for a file that is not held', async () => {
    const { status, out, err } = await world.paydrop('approve', 'wanted.csv', '--reason', 'again');
    expect({ status, out }).toEqual({ status: 5, out: '' });
    expect(err).toMatch(
      /^Cannot do "Approve" with this file: its state is accepted; it must be held\. See "paydrop why/,
    );
  });
});

describe('decline', () => {
  it('stops a held file for good, and the next run sends the approved ones only', async () => {
    const { status, out } = await world.paydrop('decline', 'unwanted.csv', '--reason', 'sent twice on 2026-06-15');
    expect(status).toBe(0);
    expect(out).toMatch(/^Declined: 2 rows, 50\.00 USD will never be sent\.\n$/);
    expect(await lastLink('unwanted.csv')).toMatchObject({ move: 'decline', reason: 'sent twice on 2026-06-15' });
    expect(await world.paydrop('decline', 'unwanted.csv', '--reason', 'again')).toMatchObject({ status: 5 });

    const ran = await world.paydrop('run', '--once', '--timeout', '30');
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(await world.states()).toEqual({
      'wanted.csv': 'completed',
      'unwanted.csv': 'cancelled',
      'json.csv': 'completed',
    });
    const sent = world.sandbox.books().map((row) => row.invoice);
    expect(new Set(sent)).toEqual(new Set(['C-1', 'C-2', 'C-21', 'C-22']));
  });

  it('does not promise to send what the send journal knows as sent', async () => {
    await world.app.ledger.pool.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since)
       SELECT 'forgotten', 1, 1, f.account, b.body_sha256, now(), now()
       FROM batch b JOIN file f USING (file_id) WHERE f.name = 'unwanted.csv'`,
    );
    await world.drop('card', 'restored.csv', lines([cardRow(11), cardRow(12)]));
    await world.finish();
    const { out } = await world.paydrop('approve', 'restored.csv', '--reason', 'to see');
    expect(out).toContain('SENT_BEFORE');
    expect(out).toContain('Batches sent before are not sent again');
    const [, fileId = ''] = /why ([0-9a-z]{16})$/m.exec(out) ?? [];
    expect((await world.paydrop('why', fileId)).out).toContain(`"paydrop cancel ${fileId}/1 --reason …"`);
  });
});
