import { beforeAll, describe, expect, it } from 'vitest';
import { readOpenProposals } from '../../../src/ledger/proposal/proposals.ts';
import { CARD } from '../../support/payment-rows.ts';
import { actionsOf, doIt, openAction, readAction } from '../support/action-page.ts';
import type { TestBrowser } from '../support/dashboard-world.ts';
import { openDoubtWorld } from '../support/doubt-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const STORIES = {
  adopted: {},
  resent: { operation: 'ach-charge', isBooked: false },
  paired: { operation: 'ach-charge', isBooked: false, account: { secondPerson: { resolutions: true } } },
} as const;
const EVIDENCE = 'Ann of the service desk, ticket 4711';

const world = openedForTests(() => openDoubtWorld(STORIES));
let operator: TestBrowser;
let approver: TestBrowser;
beforeAll(async () => {
  [operator, approver] = [await world.as('operator'), await world.as('approver')];
});

describe('adopt', () => {
  it('asks first which batch id, and shows no card number that was pasted for one', async () => {
    const path = `${await world.pathOf('adopted')}/do/adopt`;
    const { status, words, hidden } = await openAction(operator, path);
    expect([status, hidden['bind']]).toEqual([200, undefined]);
    expect(words).toContain('Batch id of the service');
    const pasted = await operator.post(path, { batchId: CARD });
    expect([pasted.status, pasted.text.includes(CARD)]).toEqual([409, false]);
    expect((await operator.post(path, {})).status).toBe(400);
  });

  it('compares every row before it is done, and does it', async () => {
    const path = `${await world.pathOf('adopted')}/do/adopt?batchId=${world.idOf('adopted')}`;
    const plan = await openAction(operator, path);
    expect(plan.words).toContain('holds all 2 rows of this batch and no other');
    expect((await world.batchOf('adopted')).state).toBe('unknown');
    const done = await doIt(operator, path, { reason: 'the service named it' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Every row matches')]);
    expect(await world.batchOf('adopted')).toMatchObject({ state: 'submitted', batch_id: world.idOf('adopted') });
    expect((await doIt(operator, path)).status).toBe(409);
  });
});

describe('not-received', () => {
  it('is refused without evidence that says something, and then makes the next attempt ready', async () => {
    const path = `${await world.pathOf('resent')}/do/not-received`;
    await world.age('resent', 'attempt', 25);
    const plan = await openAction(operator, path);
    expect(plan.words).toContain('will be sent again, as attempt 2.');
    const silent = await doIt(operator, path, { reason: 'never arrived' });
    expect([silent.status, silent.words]).toEqual([400, expect.stringContaining('"Evidence" is empty')]);
    const short = await doIt(operator, path, { evidence: 'yes', reason: 'never arrived' });
    expect([short.status, short.words]).toEqual([409, expect.stringContaining('the evidence is too short')]);
    expect(short.text).toMatch(/<textarea[^>]*>yes<\/textarea>/);
    expect((await world.batchOf('resent')).state).toBe('unknown');
    const done = await doIt(operator, path, { evidence: `${EVIDENCE} for ${CARD}`, reason: 'never arrived' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('it is sent again, as attempt 2.')]);
    const batch = await world.batchOf('resent');
    expect(batch).toMatchObject({ state: 'ready', attempt: 2 });
    expect(await evidenceOf(batch.file_id, 'absolve')).toMatchObject({ evidence: `${EVIDENCE} for ************2220` });
  });
});

describe('where an account asks for two persons', () => {
  it('only proposes; nothing is sent again before another has confirmed', async () => {
    await world.age('paired', 'attempt', 25);
    const base = await world.pathOf('paired');
    const plan = await openAction(operator, `${base}/do/not-received`);
    expect(plan.words).toContain('Another person must confirm');
    const form = { evidence: EVIDENCE, reason: 'never arrived' };
    const done = await doIt(operator, `${base}/do/not-received`, form);
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Another person must confirm it')]);
    expect(await world.batchOf('paired')).toMatchObject({ state: 'unknown', attempt: 1 });
    for (const action of ['adopt', 'not-received', 'close-in-doubt']) {
      const { status, words } = await openAction(operator, `${base}/do/${action}?batchId=1`);
      expect([status, words], action).toEqual([409, expect.stringContaining('a proposal for it is already waiting')]);
    }
    const [open] = await readOpenProposals(world.app.ledger);
    const path = `/proposals/${open!.proposal_no}/do/confirm`;
    expect((await openAction(approver, path)).words).toContain(EVIDENCE);
    expect(readAction(await operator.get(path)).status).toBe(403);
    expect((await doIt(approver, path, {})).status).toBe(200);
    expect(await world.batchOf('paired')).toMatchObject({ state: 'ready', attempt: 2 });
    const moves = await actionsOf(world, open!.file_id!);
    expect(moves).toContain('operator:operator propose: never arrived');
    expect(moves).toContain('operator:approver absolve: never arrived');
  });
});

async function evidenceOf(fileId: string, move: string): Promise<unknown> {
  const { rows } = await world.app.ledger.pool.query<{ evidence: unknown }>(
    'SELECT evidence FROM audit WHERE file_id = $1 AND move = $2',
    [fileId, move],
  );
  return rows[0]?.evidence;
}
