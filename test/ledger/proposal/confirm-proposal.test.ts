import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmProposal, refuseProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { approveFile, declineFile, proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { readProposal } from '../../../src/ledger/proposal/proposals.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'the sender confirmed it' };
const GRACE = 'operator:grace';

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
