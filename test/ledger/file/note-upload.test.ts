import { describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { approveFile, proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import {
  findWaitingUpload,
  forgetUpload,
  mustNotBeMaker,
  noteUpload,
  readUpload,
  type Upload,
} from '../../../src/ledger/file/note-upload.ts';

describe('note upload', () => {
  const world = openedForTests(openTestLedger);

  const MAKER = { actor: 'operator:ada', reason: 'meant so' };
  const OTHER = { actor: 'operator:grace', reason: 'looked at' };

  /** An upload of the file's bytes by the maker. */
  function uploadOf(file: { account: string; folder: string; sha256: string }): Upload {
    const { account, folder, sha256 } = file;
    return { account, folder, sha256, name: 'june.csv', bytes: 10, actor: MAKER.actor };
  }

  /** Makes a file that is claimed after a user dropped its bytes on the dashboard. */
  async function dropped(change: Partial<Upload> = {}): Promise<FileRow> {
    const claim = claimOf();
    await noteUpload(world.ledger, { ...uploadOf(claim), ...change });
    await claimForTest(world.ledger, claim);
    return readFileRow(world.ledger, claim.fileId);
  }

  /** Same, but held. */
  async function droppedAndHeld(): Promise<FileRow> {
    const held = await world.held();
    // As the claim does, tie the upload to the file by its bytes.
    await noteUpload(world.ledger, uploadOf(held));
    await world.force('UPDATE upload SET file_id = $1 WHERE sha256 = $2', [held.file_id, held.sha256]);
    return held;
  }

  const isMaker = async (file: FileRow, { actor }: { actor: string }) =>
    transact(world.ledger, (tx) => mustNotBeMaker(tx, file.file_id, actor)).then(
      () => false,
      (error: { code: string }) => error.code === 'SECOND_PERSON',
    );

  describe('noteUpload', () => {
    it('ties the file that is claimed with these bytes to who dropped it, and to nobody else', async () => {
      const file = await dropped();
      expect(await isMaker(file, MAKER)).toBe(true);
      expect(await isMaker(file, OTHER)).toBe(false);
    });

    it.each([
      ['other bytes', { sha256: 'f'.repeat(64) }],
      ['another folder', { folder: 'drop/elsewhere' }],
    ])('does not tie a file of %s', async (_, change) => {
      expect(await isMaker(await dropped(change), MAKER)).toBe(false);
    });

    it('ties a file of the folder, under whatever account it is claimed', async () => {
      expect(await isMaker(await dropped({ account: 'another' }), MAKER)).toBe(true);
    });

    it('ties one upload to one file: the same bytes again belong to their own upload', async () => {
      const first = await dropped();
      const again = claimOf({ account: first.account, sha256: first.sha256 });
      await claimForTest(world.ledger, again);
      expect(await isMaker(await readFileRow(world.ledger, again.fileId), MAKER)).toBe(false);
      expect(await isMaker(first, MAKER)).toBe(true);
    });

    it('leaves a link in the audit trail, without the name of the file', async () => {
      const file = await dropped();
      const { rows } = await world.ledger.pool.query(
        `SELECT actor, reason, evidence FROM audit WHERE move = 'drop' AND evidence ->> 'sha256' = $1`,
        [file.sha256],
      );
      const { account, folder, sha256 } = file;
      expect(rows).toEqual([
        { actor: MAKER.actor, reason: 'dropped on the dashboard', evidence: { account, folder, sha256, bytes: 10 } },
      ]);
    });
  });

  describe('mustNotBeMaker', () => {
    it('lets the maker not approve, and another person may', async () => {
      const { file_id: fileId } = await droppedAndHeld();
      await expect(approveFile(world.ledger, fileId, MAKER)).rejects.toMatchObject({
        code: 'SECOND_PERSON',
        message: expect.stringContaining('the same person dropped it on the dashboard'),
      });
      expect(await readFileState(world.ledger, fileId)).toBe('held');
      await approveFile(world.ledger, fileId, OTHER);
      expect(await readFileState(world.ledger, fileId)).toBe('accepted');
    });

    it('lets the maker not confirm what another proposed, and a third person may', async () => {
      const { file_id: fileId } = await droppedAndHeld();
      const no = await proposeApproval(world.ledger, fileId, OTHER);
      await expect(confirmProposal(world.ledger, no, MAKER.actor)).rejects.toMatchObject({ code: 'SECOND_PERSON' });
      expect(await readFileState(world.ledger, fileId)).toBe('held');
      await confirmProposal(world.ledger, no, 'operator:alan');
      expect(await readFileState(world.ledger, fileId)).toBe('accepted');
    });
  });

  const UPLOAD = { account: 'main', folder: 'drop', name: 'a.csv', sha256: 'ab', bytes: 1, actor: 'operator:ada' };

  it('forgetUpload takes the note back, says so in the audit trail, and lets the note of a file stand', async () => {
    const { ledger } = world;
    const [gone, kept] = [await noteUpload(ledger, UPLOAD), await noteUpload(ledger, UPLOAD)];
    const file = await world.claimed();
    await ledger.pool.query('UPDATE upload SET file_id = $2 WHERE upload_no = $1', [kept, file.file_id]);
    for (const uploadNo of [gone, kept]) await forgetUpload(ledger, uploadNo, 'operator:ada', 'the name was taken');
    expect(await readUpload(ledger, gone)).toBeUndefined();
    expect(await readUpload(ledger, kept)).toMatchObject({ file_id: file.file_id });
    const { rows } = await ledger.pool.query(
      `SELECT actor, reason FROM audit WHERE move = 'drop' ORDER BY seq DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ actor: 'operator:ada', reason: 'the name was taken' }]);
  });

  it('readUpload tells who dropped what, and once it is taken the file and its state', async () => {
    const { ledger } = world;
    const uploadNo = await noteUpload(ledger, UPLOAD);
    const waiting = { folder: 'drop', name: 'a.csv', actor: 'operator:ada', file_id: null, state: null };
    expect(await readUpload(ledger, uploadNo)).toMatchObject(waiting);
    const file = await world.claimed();
    await ledger.pool.query('UPDATE upload SET file_id = $2 WHERE upload_no = $1', [uploadNo, file.file_id]);
    expect(await readUpload(ledger, uploadNo)).toMatchObject({ file_id: file.file_id, state: 'claimed' });
    expect(await readUpload(ledger, uploadNo + 1)).toBeUndefined();
  });

  it('findWaitingUpload finds the last of these bytes on the account that is not taken', async () => {
    const { ledger } = world;
    const upload = { ...UPLOAD, sha256: 'ef' };
    const first = await noteUpload(ledger, upload);
    await noteUpload(ledger, { ...upload, account: 'other' });
    expect(await findWaitingUpload(ledger, 'main', 'ef')).toMatchObject({ name: 'a.csv', actor: 'operator:ada' });
    await noteUpload(ledger, { ...upload, name: 'b.csv' });
    expect(await findWaitingUpload(ledger, 'main', 'ef')).toMatchObject({ name: 'b.csv' });
    const file = await world.claimed();
    await ledger.pool.query(`UPDATE upload SET file_id = $2 WHERE name = 'b.csv' OR upload_no = $1`, [
      first,
      file.file_id,
    ]);
    expect(await findWaitingUpload(ledger, 'main', 'ef')).toBeUndefined();
  });
});
