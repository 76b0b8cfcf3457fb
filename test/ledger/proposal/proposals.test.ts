import { afterAll, beforeAll, expect, it } from 'vitest';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import {
  readOpenProposalOf,
  readOpenProposals,
  readProposal,
  readProposalsOf,
} from '../../../src/ledger/proposal/proposals.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'it is right' };

it('readOpenProposals lists what waits, the oldest first, with the rows and money of the file or the batch', async () => {
  const held = await world.held({ name: 'monday.csv', account: 'one', batches: 2, rowsPerBatch: 2 });
  const done = await world.held();
  const ofFile = await proposeApproval(world.ledger, held.file_id, because);
  const ended = await proposeApproval(world.ledger, done.file_id, because);
  await confirmProposal(world.ledger, ended, 'operator:grace');
  const ofBatch = await transact(world.ledger, (tx) =>
    propose(tx, { action: 'absolve', fileId: held.file_id, batchNo: 1, binding: {}, ...because }),
  );
  const file = { file_id: held.file_id, name: 'monday.csv', account: 'one', made_by: 'operator:ada' };
  expect(await readOpenProposals(world.ledger)).toMatchObject([
    { ...file, proposal_no: ofFile, action: 'approve', batch_no: null, rows: 4, cents: 1_400 },
    { ...file, proposal_no: ofBatch, action: 'absolve', batch_no: 1, rows: 2, cents: 500 },
  ]);
});

it('readProposal knows the ended ones as well, and throws for others', async () => {
  const no = await proposeApproval(world.ledger, (await world.held()).file_id, because);
  await confirmProposal(world.ledger, no, 'operator:grace');
  expect(await readProposal(world.ledger, no)).toMatchObject({ proposal_no: no, verdict: 'confirmed' });
  await expect(readProposal(world.ledger, 999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('readProposalsOf has what waits about one file and its batches', async () => {
  const [held, other] = [await world.held(), await world.held()];
  await proposeApproval(world.ledger, other.file_id, because);
  const no = await proposeApproval(world.ledger, held.file_id, because);
  const waiting = { proposal_no: no, batch_no: null, action: 'approve', made_by: 'operator:ada' };
  expect(await readProposalsOf(world.ledger, held.file_id)).toEqual([waiting]);
  await confirmProposal(world.ledger, no, 'operator:grace');
  expect(await readProposalsOf(world.ledger, held.file_id)).toEqual([]);
});

it('readOpenProposalOf finds what waits about a file as a whole or about one batch of it', async () => {
  const { file_id: fileId } = await world.held({ batches: 2 });
  const ofBatch = await transact(world.ledger, (tx) =>
    propose(tx, { action: 'absolve', fileId, batchNo: 2, binding: {}, ...because }),
  );
  expect(await readOpenProposalOf(world.ledger, { fileId })).toBeUndefined();
  expect(await readOpenProposalOf(world.ledger, { fileId, batchNo: 1 })).toBeUndefined();
  expect(await readOpenProposalOf(world.ledger, { fileId, batchNo: 2 })).toMatchObject({ proposal_no: ofBatch });
  const ofFile = await proposeApproval(world.ledger, fileId, because);
  expect(await readOpenProposalOf(world.ledger, { fileId })).toMatchObject({ proposal_no: ofFile });
  await confirmProposal(world.ledger, ofFile, 'operator:grace');
  expect(await readOpenProposalOf(world.ledger, { fileId })).toBeUndefined();
});
