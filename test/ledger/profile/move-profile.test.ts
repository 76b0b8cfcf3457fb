import { describe, expect, it } from 'vitest';
import { PROFILE_READER } from '../../../schemas/profiles.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { confirmVersion, importVersion, retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { findConfirmed, readVersions } from '../../../src/ledger/profile/read-profiles.ts';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { readFileOf, readOpenProposals, readProposal } from '../../../src/ledger/proposal/proposals.ts';
import { bindingOfVersion, confirmProposed } from '../../../src/ledger/profile/move-profile.ts';
import { claimOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { putConfirmed, putDraft, SAMPLE } from '../support/put-version.ts';

const world = openedForTests(openTestLedger);

const GRACE = { actor: 'operator:grace', reason: 'the total agrees' };

const confirm = (no: number, because = GRACE) =>
  transact(world.ledger, (tx) => confirmVersion(tx, no, SAMPLE, because));
const retire = (no: number) => retireVersion(world.ledger, no, { actor: 'operator:ada', reason: 'wrong column' });

async function links(name: string) {
  const { rows } = await world.ledger.pool.query<Record<string, unknown>>(
    `SELECT actor, move, from_state AS from, to_state AS to, reason, evidence FROM audit
     WHERE evidence->>'profile' = $1 ORDER BY seq`,
    [name],
  );
  return rows;
}

describe('importVersion', () => {
  it('numbers the versions of each name from 1, as drafts with a link of the audit trail', async () => {
    const first = await putDraft(world.ledger, 'dues', 'one');
    const second = await putDraft(world.ledger, 'dues', 'two');
    const other = await putDraft(world.ledger, 'gifts', 'one');
    expect([first.version, second.version, other.version]).toEqual([1, 2, 1]);
    expect(first).toMatchObject({
      state: 'draft',
      text: 'one',
      reader: PROFILE_READER,
      made_by: 'operator:ada',
      made_at: new Date(START),
      confirmed_at: null,
      first_files_left: null,
    });
    expect((await links('dues'))[0]).toMatchObject({
      actor: 'operator:ada',
      move: 'import-profile',
      from: null,
      to: 'draft',
      reason: 'new export',
      evidence: { profile: 'dues', version: 1, sha256: first.sha256 },
    });
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });

  it('changes nothing for a text that is a draft or confirmed, and takes a retired one up again', async () => {
    const { sha256, profile_no: no } = await putDraft(world.ledger, 'again', 'same');
    const draft = { name: 'again', text: 'same', sha256, firstFiles: 1 };
    const because = { actor: 'operator:ada', reason: 'once more' };
    expect(await importVersion(world.ledger, draft, because)).toMatchObject({ isNew: false, version: { version: 1 } });
    await confirm(no);
    expect(await importVersion(world.ledger, draft, because)).toMatchObject({ isNew: false, version: { version: 1 } });
    expect(await links('again')).toHaveLength(2);
    await retire(no);
    expect(await importVersion(world.ledger, draft, because)).toMatchObject({ isNew: true, version: { version: 2 } });
  });

  it('gives two processes that import at once two numbers', async () => {
    const versions = await Promise.all(['a', 'b', 'c', 'd'].map((text) => putDraft(world.ledger, 'crowd', text)));
    expect(versions.map(({ version }) => version).toSorted()).toEqual([1, 2, 3, 4]);
  });
});

describe('confirmVersion', () => {
  it('records the sample and who confirmed it, and takes the place of the version before', async () => {
    const first = await putConfirmed(world.ledger, 'replaced', 'one');
    const draft = await putDraft(world.ledger, 'replaced', 'two');
    const second = await confirm(draft.profile_no);
    expect(second).toMatchObject({
      state: 'confirmed',
      reason: GRACE.reason,
      confirmed_by: GRACE.actor,
      confirmed_at: new Date(START),
      replaces: first.profile_no,
      sample_sha256: SAMPLE.sha256,
      sample_rows: 24,
      sample_cents: 135_500,
      sample_skipped: SAMPLE.skipped,
      first_files_left: 1,
    });
    const [, before] = await readVersions(world.ledger, 'replaced');
    expect(before).toMatchObject({ version: 1, state: 'retired', retired_by: GRACE.actor });
    expect((await links('replaced')).slice(-2)).toMatchObject([
      { move: 'replace-profile', from: 'confirmed', to: 'retired', evidence: { version: 1 } },
      {
        move: 'confirm-profile',
        from: 'draft',
        to: 'confirmed',
        evidence: { version: 2, replaces: 1, sample: SAMPLE },
      },
    ]);
  });

  it('leaves one confirmed when two are confirmed at once', async () => {
    const drafts = await Promise.all(['a', 'b', 'c'].map((text) => putDraft(world.ledger, 'race', text)));
    await Promise.all(drafts.map(({ profile_no: no }) => confirm(no)));
    const states = (await readVersions(world.ledger, 'race')).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['confirmed', 'retired', 'retired']);
  });

  it('is refused for a version that is no draft', async () => {
    const { profile_no: no } = await putConfirmed(world.ledger, 'twice');
    await expect(confirm(no)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await retire(no);
    await expect(confirm(no)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await expect(confirm(999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('waits until held files of another version are decided, and names them', async () => {
    const first = await putConfirmed(world.ledger, 'held', 'one');
    const { profile_no: no } = await putDraft(world.ledger, 'held', 'two');
    const file = await world.held({ name: 'june.csv' });
    await world.force('UPDATE file SET profile_version = $2 WHERE file_id = $1', [file.file_id, first.profile_no]);
    const refusal = await confirm(no).catch((error: Error) => error.message);
    expect(refusal).toContain('june.csv');
    expect(refusal).toContain('Approve or decline');
    expect(await findConfirmed(world.ledger.pool, 'held')).toMatchObject({ version: 1 });
    await world.putFile(file.file_id, 'cancelled');
    expect(await confirm(no)).toMatchObject({ version: 2, state: 'confirmed' });
  });
});

describe('retireVersion', () => {
  it('leaves the profile without a version that reads', async () => {
    const { profile_no: no } = await putConfirmed(world.ledger, 'ended');
    expect(await retire(no)).toMatchObject({ state: 'retired', retired_by: 'operator:ada', reason: 'wrong column' });
    expect(await findConfirmed(world.ledger.pool, 'ended')).toBeUndefined();
    await expect(retire(no)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('is remembered as the version that a later one replaces', async () => {
    const first = await putConfirmed(world.ledger, 'later', 'one');
    await retire(first.profile_no);
    expect(await putConfirmed(world.ledger, 'later', 'two')).toMatchObject({ replaces: first.profile_no });
  });
});

describe('the database', () => {
  it('refuses a second confirmed version, another text and a way back', async () => {
    const { profile_no: no } = await putConfirmed(world.ledger, 'guarded', 'one');
    const draft = await putDraft(world.ledger, 'guarded', 'two');
    const run = (sql: string, to: number) => world.ledger.pool.query(sql, [to]);
    await expect(run(`UPDATE profile_version SET text = 'x' WHERE profile_no = $1`, no)).rejects.toMatchObject({
      code: 'PD002',
    });
    await expect(run(`UPDATE profile_version SET state = 'draft' WHERE profile_no = $1`, no)).rejects.toMatchObject({
      code: 'PD001',
    });
    await expect(run('DELETE FROM profile_version WHERE profile_no = $1', no)).rejects.toMatchObject({ code: 'PD002' });
    const second = `UPDATE profile_version v SET state = 'confirmed', confirmed_by = c.confirmed_by,
      confirmed_at = c.confirmed_at, sample_sha256 = c.sample_sha256, sample_rows = c.sample_rows, first_files_left = 0,
      sample_cents = c.sample_cents, sample_skipped = c.sample_skipped
      FROM profile_version c WHERE c.state = 'confirmed' AND c.name = v.name AND v.profile_no = $1`;
    await expect(run(second, draft.profile_no)).rejects.toMatchObject({ constraint: 'one_confirmed_profile' });
  });
});

describe('claimFiles', () => {
  it('records the version that is confirmed then, and when the file was first seen', async () => {
    const first = await putConfirmed(world.ledger, 'claimed', 'one');
    const seenAt = new Date('2026-06-14T08:00:00Z');
    const claim = claimOf({ profile: 'claimed', seenAt });
    await claimForTest(world.ledger, claim);
    const second = await putConfirmed(world.ledger, 'claimed', 'two');
    await claimForTest(world.ledger, claim);
    const later = claimOf({ profile: 'claimed' });
    await claimForTest(world.ledger, later);
    expect(await readFileRow(world.ledger, claim.fileId)).toMatchObject({
      profile_version: first.profile_no,
      seen_at: seenAt,
    });
    expect(await readFileRow(world.ledger, later.fileId)).toMatchObject({ profile_version: second.profile_no });
  });

  it('records none for a folder without a profile', async () => {
    const claim = claimOf();
    await claimForTest(world.ledger, claim);
    expect(await readFileRow(world.ledger, claim.fileId)).toMatchObject({ profile_version: null });
  });

  it('takes nothing while no version is confirmed', async () => {
    await putDraft(world.ledger, 'open');
    const claim = claimOf({ profile: 'open' });
    await expect(claimForTest(world.ledger, claim)).rejects.toMatchObject({ code: 'PROFILE_UNCONFIRMED' });
    await expect(readFileRow(world.ledger, claim.fileId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('confirmProposed', () => {
  it('refuses what was compared with a version that no longer reads', async () => {
    const { profile_no: no } = await putDraft(world.ledger, 'compared', 'one');
    await putConfirmed(world.ledger, 'compared', 'two');
    const evidence = { sample: SAMPLE, changes: [], before: null };
    const run = transact(world.ledger, (tx) => confirmProposed(tx, { profile_no: no, evidence }, GRACE));
    await expect(run).rejects.toThrow('another version was confirmed or retired meanwhile');
  });
});

describe('a proposal to confirm a version', () => {
  const evidence = { sample: SAMPLE, changes: ['layout: card -> ach'], before: null };

  async function proposed(profileNo: number): Promise<number> {
    return transact(world.ledger, async (tx) => {
      const binding = await bindingOfVersion(tx, { profile_no: profileNo, evidence });
      const order = { action: 'confirm-profile', profileNo, binding, evidence };
      return propose(tx, { ...order, actor: 'operator:ada', reason: 'new export' });
    });
  }

  it('is listed with its figures, and done by another person with both in the trail', async () => {
    const { profile_no: no } = await putDraft(world.ledger, 'proposed');
    const proposalNo = await proposed(no);
    const listed = (await readOpenProposals(world.ledger)).find((one) => one.proposal_no === proposalNo)!;
    expect(listed).toMatchObject({ name: 'proposed version 1', file_id: null, rows: 24, cents: 135_500 });
    expect(await readFileOf(world.ledger, listed)).toBeUndefined();
    await expect(proposed(no)).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
    await expect(confirmProposal(world.ledger, proposalNo, 'operator:ada')).rejects.toMatchObject({
      code: 'SECOND_PERSON',
    });
    expect(await findConfirmed(world.ledger.pool, 'proposed')).toBeUndefined();
    await confirmProposal(world.ledger, proposalNo, 'operator:grace');
    expect(await findConfirmed(world.ledger.pool, 'proposed')).toMatchObject({
      confirmed_by: 'operator:grace',
      sample_rows: 24,
    });
    expect((await links('proposed')).at(-1)).toMatchObject({
      actor: 'operator:grace',
      evidence: { proposalNo, proposedBy: 'operator:ada', changes: evidence.changes },
    });
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });

  it('is void once another version was confirmed', async () => {
    const { profile_no: no } = await putDraft(world.ledger, 'overtaken', 'one');
    const proposalNo = await proposed(no);
    await putConfirmed(world.ledger, 'overtaken', 'two');
    await expect(confirmProposal(world.ledger, proposalNo, 'operator:grace')).rejects.toMatchObject({
      code: 'PROPOSAL_VOID',
    });
    expect(await findConfirmed(world.ledger.pool, 'overtaken')).toMatchObject({ version: 2 });
  });

  it('is void once the version itself was confirmed without it', async () => {
    const { profile_no: no } = await putDraft(world.ledger, 'direct');
    const proposalNo = await proposed(no);
    await confirm(no);
    expect((await readProposal(world.ledger, proposalNo)).verdict).toBe('void');
  });
});
