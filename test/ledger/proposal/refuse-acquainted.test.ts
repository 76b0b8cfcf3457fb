import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { confirmProposal, PROPOSED_ACTIONS } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { changeRole } from '../../../src/ledger/person/change-person.ts';
import { inviteAgain, invitePerson, offerSetUp } from '../../../src/ledger/person/invite-person.ts';
import { readTies } from '../../../src/ledger/proposal/refuse-acquainted.ts';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import {
  readMaker,
  readOpenProposalOf,
  readOpenProposals,
  readProposal,
  readProposalsOf,
} from '../../../src/ledger/proposal/proposals.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { noteUpload } from '../../../src/ledger/file/note-upload.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('refuse acquainted', () => {
  beforeEach(() => world.empty());

  const DAY_MS = 86_400_000;

  const link = () => ({ tokenHash: randomBytes(32), expiresAt: new Date(world.clock.now().getTime() + DAY_MS) });

  const by = (name: string) => ({ actor: `operator:${name}`, reason: 'needs it' });

  async function invite(maker: string, name: string): Promise<void> {
    await invitePerson(world.ledger, { name, role: 'operator' }, link(), by(maker));
  }

  async function confirm(maker: string, checker: string, days?: number): Promise<unknown> {
    const { file_id: fileId } = await world.held();
    const no = await proposeApproval(world.ledger, fileId, by(maker));
    return confirmProposal(world.ledger, no, `operator:${checker}`, days);
  }

  const REFUSED = { code: 'SECOND_PERSON' };

  describe('a second person', () => {
    it('is none whom the first has made within a week, nor through others, nor the other way round', async () => {
      await invite('root', 'puppet');
      await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
      await expect(confirm('puppet', 'root')).rejects.toMatchObject(REFUSED);
      await invite('puppet', 'second');
      await expect(confirm('root', 'second')).rejects.toThrow('root made second a user');
      expect(await confirm('root', 'grace')).toMatchObject({ verdict: 'confirmed' });
      world.clock.advance(8 * DAY_MS);
      expect(await confirm('root', 'puppet')).toMatchObject({ verdict: 'confirmed' });
    });

    it('is none who was given a role or a new link by the first', async () => {
      await invite('root', 'bea');
      world.clock.advance(8 * DAY_MS);
      await world.force(`UPDATE person SET role = 'admin', password = 'x' WHERE name = 'bea'`);
      await invite('root', 'admin');
      await world.force(`UPDATE person SET role = 'admin', password = 'x' WHERE name = 'admin'`);
      await changeRole(world.ledger, 'bea', 'operator', by('ada'));
      await expect(confirm('ada', 'bea')).rejects.toMatchObject(REFUSED);
      await inviteAgain(world.ledger, 'bea', link(), by('carl'));
      await expect(confirm('carl', 'bea')).rejects.toMatchObject(REFUSED);
      expect(await confirm('root', 'bea')).toMatchObject({ verdict: 'confirmed' });
    });

    it('is none who followed the set-up link that the first offered', async () => {
      await offerSetUp(world.ledger, link(), by('root'));
      await transact(world.ledger, async (tx) =>
        tx.audit({ actor: 'operator:ada', move: 'set-up-desk', reason: 'followed the set-up link' }),
      );
      await expect(confirm('root', 'ada')).rejects.toMatchObject(REFUSED);
    });

    it('is none either when the clock of a host was set forward', async () => {
      await invite('root', 'puppet');
      world.clock.advance(400 * DAY_MS);
      world.wrongBy.database = -400 * DAY_MS;
      await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
      world.wrongBy.database = 0;
    });

    it('is none either when the maker set the clock of the host back for a moment', async () => {
      world.clock.advance(-400 * DAY_MS);
      world.wrongBy.database = 400 * DAY_MS;
      await invite('root', 'puppet');
      world.clock.advance(400 * DAY_MS);
      world.wrongBy.database = 0;
      await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
    });

    it('may be another whom the same third person made, but not one whom the other made', async () => {
      await invite('root', 'punch');
      await invite('root', 'judy');
      await invite('judy', 'third');
      expect(await confirm('punch', 'judy')).toMatchObject({ verdict: 'confirmed' });
      expect(await confirm('punch', 'third')).toMatchObject({ verdict: 'confirmed' });
      await expect(confirm('root', 'third')).rejects.toMatchObject(REFUSED);
    });

    it('is none who has the same name in other letters', async () => {
      await expect(confirm('Ada', 'ada')).rejects.toMatchObject(REFUSED);
      await invite('Root', 'puppet');
      await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
    });

    it('may be anybody where the settings say so', async () => {
      await invite('root', 'puppet');
      world.clock.advance(1);
      expect(await confirm('root', 'puppet', 0)).toMatchObject({ verdict: 'confirmed' });
    });
  });

  describe('readTies', () => {
    it('names the pairs of late', async () => {
      await invite('root', 'old');
      world.clock.advance(8 * DAY_MS);
      await invite('root', 'new');
      const at = world.clock.now();
      expect(await readTies(world.ledger, 7)).toEqual([{ maker: 'operator:root', person: 'operator:new', at }]);
    });
  });
});

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

describe('readMaker', () => {
  it('names who dropped the file on the dashboard, and nobody for a file that came otherwise', async () => {
    const [dropped, other] = [claimOf(), claimOf()];
    const { account, folder, name, sha256, bytes } = dropped;
    await noteUpload(world.ledger, { account, folder, name, sha256, bytes, actor: 'operator:ada' });
    await claimForTest(world.ledger, dropped);
    await claimForTest(world.ledger, other);
    expect(await readMaker(world.ledger, dropped.fileId)).toBe('operator:ada');
    expect(await readMaker(world.ledger, other.fileId)).toBeUndefined();
  });
});

it('PROPOSED_ACTIONS says of each action in words what it does', () => {
  expect(Object.keys(PROPOSED_ACTIONS)).toContain('approve');
  for (const [name, { about }] of Object.entries(PROPOSED_ACTIONS)) expect(about, name).toMatch(/^\p{Ll}.{10,}[^.]$/u);
});
