import { describe, expect, it } from 'vitest';
import {
  bindingOfBatch,
  bindingOfFile,
  confirm,
  propose,
  refuse,
  voidProposals,
} from '../../../src/ledger/proposal/propose.ts';
import { readProposal } from '../../../src/ledger/proposal/proposals.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { confirmProposal, refuseProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { approveFile, declineFile, proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const ADA = 'operator:ada';
const GRACE = 'operator:grace';
const BINDING = { sha256: 'abc', rows: 2, cents: 500 };

async function proposed(fileId: string, batchNo?: number): Promise<number> {
  const about = batchNo === undefined ? { fileId } : { fileId, batchNo };
  return transact(world.ledger, (tx) =>
    propose(tx, { action: 'approve', ...about, binding: BINDING, reason: 'it is right', actor: ADA }),
  );
}

const read = (no: number) => readProposal(world.ledger, no);

describe('propose', () => {
  it('writes down what is to be done, for what, why and by whom, with a link of the audit trail', async () => {
    const { file_id: fileId } = await world.held();
    const no = await proposed(fileId);
    expect(await read(no)).toMatchObject({
      action: 'approve',
      file_id: fileId,
      batch_no: null,
      binding: BINDING,
      reason: 'it is right',
      evidence: {},
      made_by: ADA,
      made_at: new Date(START),
      verdict: null,
    });
    expect((await world.links(fileId)).at(-1)).toMatchObject({
      actor: ADA,
      move: 'propose',
      reason: 'it is right',
      evidence: { proposalNo: no, action: 'approve', binding: BINDING },
    });
  });

  it('takes one at a time for a file, and one for each of its batches', async () => {
    const { file_id: fileId } = await world.held();
    const no = await proposed(fileId);
    await expect(proposed(fileId)).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
    await proposed(fileId, 1);
    await expect(proposed(fileId, 1)).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
    await transact(world.ledger, (tx) => refuse(tx, no, { actor: GRACE, reason: 'no' }));
    expect(await proposed(fileId)).toBeGreaterThan(no);
  });
});

describe('confirm', () => {
  const confirmed = (no: number, actor = GRACE, binding: Record<string, string | number> = BINDING) =>
    transact(world.ledger, (tx) => confirm(tx, no, actor, binding, 7));

  it('is for another person than the maker, once', async () => {
    const { file_id: fileId } = await world.held();
    const no = await proposed(fileId);
    await expect(confirmed(no, ADA)).rejects.toMatchObject({ code: 'SECOND_PERSON' });
    expect((await read(no)).verdict).toBeNull();
    // The order of the names does not matter.
    const { verdict } = await confirmed(no, GRACE, { cents: 500, rows: 2, sha256: 'abc' });
    expect(verdict).toBe('confirmed');
    expect(await read(no)).toMatchObject({ verdict: 'confirmed', checked_by: GRACE, checked_at: new Date(START) });
    expect((await world.links(fileId)).at(-1)).toMatchObject({
      actor: GRACE,
      move: 'confirm',
      reason: 'it is right',
      evidence: { proposalNo: no, madeBy: ADA, found: BINDING },
    });
    await expect(confirmed(no)).rejects.toMatchObject({ code: 'PROPOSAL_ENDED' });
  });

  it.each([
    ['other bytes', { ...BINDING, sha256: 'abd' }],
    ['a row more', { ...BINDING, rows: 3 }],
    ['a cent less', { ...BINDING, cents: 499 }],
    ['something more', { ...BINDING, attempt: 2 }],
  ])('finds it void for %s, and that stays written down', async (_, binding) => {
    const { file_id: fileId } = await world.held();
    const no = await proposed(fileId);
    expect(await confirmed(no, GRACE, binding)).toMatchObject({ verdict: 'void' });
    expect(await read(no)).toMatchObject({ verdict: 'void', checked_by: GRACE });
    expect((await world.links(fileId)).at(-1)).toMatchObject({ move: 'void-proposal', evidence: { found: binding } });
    await expect(confirmed(no)).rejects.toMatchObject({ code: 'PROPOSAL_ENDED' });
  });

  it('does not know every number', async () => {
    await expect(confirmed(999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('leaves one verdict when two confirm at the same moment', async () => {
    const no = await proposed((await world.held()).file_id);
    const ends = await Promise.allSettled([confirmed(no), confirmed(no, 'operator:linus')]);
    expect(ends.map((end) => end.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('is held to two persons by the database itself', async () => {
    const no = await proposed((await world.held()).file_id);
    const alone = `UPDATE proposal SET verdict = 'confirmed', checked_by = made_by, checked_at = made_at WHERE proposal_no = $1`;
    await expect(world.ledger.pool.query(alone, [no])).rejects.toMatchObject({ constraint: 'two_persons' });
  });
});

describe('refuse', () => {
  it.each([
    ['by another person', GRACE],
    ['by its maker, who takes it back', ADA],
  ])('%s ends it and keeps the reason', async (_, actor) => {
    const { file_id: fileId } = await world.held();
    const no = await proposed(fileId);
    await transact(world.ledger, (tx) => refuse(tx, no, { actor, reason: 'the list is old' }));
    expect(await read(no)).toMatchObject({ verdict: 'refused', checked_by: actor });
    expect((await world.links(fileId)).at(-1)).toMatchObject({
      actor,
      move: 'refuse-proposal',
      reason: 'the list is old',
    });
  });
});

describe('voidProposals', () => {
  it('ends what waits for a file and its batches, or for one batch only', async () => {
    const { file_id: fileId } = await world.held({ batches: 2 });
    const [ofFile, one, two] = [await proposed(fileId), await proposed(fileId, 1), await proposed(fileId, 2)];
    const other = await proposed((await world.held()).file_id);
    const because = { actor: GRACE, reason: 'declined' };
    await transact(world.ledger, (tx) => voidProposals(tx, { fileId, batchNo: 2 }, because));
    expect([(await read(ofFile)).verdict, (await read(one)).verdict, (await read(two)).verdict]).toEqual([
      null,
      null,
      'void',
    ]);
    await transact(world.ledger, (tx) => voidProposals(tx, { fileId }, because));
    expect([(await read(ofFile)).verdict, (await read(one)).verdict]).toEqual(['void', 'void']);
    expect((await read(other)).verdict).toBeNull();
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });
});

describe('confirm proposal', () => {
  const because = { actor: 'operator:ada', reason: 'the sender confirmed it' };

  async function proposed(): Promise<{ fileId: string; no: number }> {
    const { file_id: fileId } = await world.held();
    return { fileId, no: await proposeApproval(world.ledger, fileId, because) };
  }

  const stateOf = async (fileId: string) => (await readFileRow(world.ledger, fileId)).state;

  describe('confirmProposal', () => {
    it('does what was proposed at once, and both persons stand in the trail', async () => {
      const { fileId, no } = await proposed();
      expect(await stateOf(fileId)).toBe('held');
      expect(await confirmProposal(world.ledger, no, GRACE)).toMatchObject({ verdict: 'confirmed', checked_by: GRACE });
      expect(await stateOf(fileId)).toBe('accepted');
      expect((await world.links(fileId)).slice(-3).map(({ actor, move }) => `${move} by ${actor}`)).toEqual([
        'propose by operator:ada',
        'confirm by operator:grace',
        'approve by operator:grace',
      ]);
      expect((await world.links(fileId)).at(-1)).toMatchObject({
        evidence: { proposalNo: no, proposedBy: 'operator:ada' },
      });
    });

    it('is not for the person who proposed it', async () => {
      const { fileId, no } = await proposed();
      await expect(confirmProposal(world.ledger, no, because.actor)).rejects.toMatchObject({ code: 'SECOND_PERSON' });
      expect(await stateOf(fileId)).toBe('held');
      expect((await readProposal(world.ledger, no)).verdict).toBeNull();
    });

    it.each([
      ['the bytes', `sha256 = 'other'`],
      ['the rows', 'valid_rows = valid_rows + 1'],
      ['the money', 'valid_cents = valid_cents + 1'],
      ['the state', `state = 'cancelled'`],
    ])('does nothing when %s changed, and the proposal is void for good', async (_, change) => {
      const { fileId, no } = await proposed();
      await world.force(`UPDATE file SET ${change} WHERE file_id = $1`, [fileId]);
      const before = await stateOf(fileId);
      await expect(confirmProposal(world.ledger, no, GRACE)).rejects.toMatchObject({ code: 'PROPOSAL_VOID' });
      expect(await stateOf(fileId)).toBe(before);
      expect(await readProposal(world.ledger, no)).toMatchObject({ verdict: 'void', checked_by: GRACE });
      await expect(confirmProposal(world.ledger, no, GRACE)).rejects.toMatchObject({ code: 'PROPOSAL_ENDED' });
    });

    it('stays open when what it proposes fails', async () => {
      const { file_id: fileId } = await world.held();
      const action = { action: 'no such action', fileId, binding: {}, ...because };
      const no = await transact(world.ledger, (tx) => propose(tx, action));
      await expect(confirmProposal(world.ledger, no, GRACE)).rejects.toMatchObject({ code: 'INTERNAL' });
      expect((await readProposal(world.ledger, no)).verdict).toBeNull();
    });

    it('comes too late when the file was declined, or approved by one person after the rule was lifted', async () => {
      for (const move of [declineFile, approveFile]) {
        const { fileId, no } = await proposed();
        await move(world.ledger, fileId, { actor: 'operator:linus', reason: 'decided' });
        expect(await readProposal(world.ledger, no)).toMatchObject({ verdict: 'void', checked_by: 'operator:linus' });
        await expect(confirmProposal(world.ledger, no, GRACE)).rejects.toMatchObject({ code: 'PROPOSAL_ENDED' });
      }
    });

    it('and a decline at the same moment leave the file in one state, and no proposal open', async () => {
      const { fileId, no } = await proposed();
      const ends = await Promise.allSettled([
        confirmProposal(world.ledger, no, GRACE),
        declineFile(world.ledger, fileId, because),
      ]);
      expect(ends.map((end) => end.status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const { verdict } = await readProposal(world.ledger, no);
      expect([await stateOf(fileId), verdict]).toEqual(
        ends[0].status === 'fulfilled' ? ['accepted', 'confirmed'] : ['cancelled', 'void'],
      );
    });
  });

  describe('refuseProposal', () => {
    it('leaves the file as it was, so that it can be proposed anew', async () => {
      const { fileId, no } = await proposed();
      const ended = await refuseProposal(world.ledger, no, { actor: GRACE, reason: 'an old list' });
      expect(ended).toMatchObject({ verdict: 'refused', checked_by: GRACE });
      expect(await stateOf(fileId)).toBe('held');
      expect(await proposeApproval(world.ledger, fileId, because)).toBeGreaterThan(no);
    });
  });
});

it('bindingOfFile has the bytes, rows, money and state of a file', async () => {
  const { file_id: fileId, sha256 } = await world.held({ rowsPerBatch: 2 });
  const found = await transact(world.ledger, (tx) => bindingOfFile(tx, fileId));
  expect(found).toEqual({ sha256, rows: 2, cents: 500, state: 'held' });
});

it('bindingOfFile of a file that was not read has no rows, and throws for one that is not known', async () => {
  const { file_id: fileId } = await world.claimed();
  const bind = (id: string) => transact(world.ledger, (tx) => bindingOfFile(tx, id));
  expect(await bind(fileId)).toMatchObject({ rows: 0, cents: 0, state: 'claimed' });
  await expect(bind('nosuchfile')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('bindingOfBatch has the attempt besides', async () => {
  const { file_id: fileId } = await world.accepted({ rowsPerBatch: 2 });
  const { body_sha256: sha256 } = await readBatchRow(world.ledger, { fileId, batchNo: 1 });
  const bind = (batchNo: number) => transact(world.ledger, (tx) => bindingOfBatch(tx, { fileId, batchNo }));
  expect(await bind(1)).toEqual({ sha256, rows: 2, cents: 500, attempt: 1, state: 'ready' });
  await expect(bind(9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
