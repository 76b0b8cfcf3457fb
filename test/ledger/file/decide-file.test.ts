import type { EffectRules } from '../../../src/rows/rows.ts';
import { describe, expect, it } from 'vitest';
import { claimForTest } from '../../support/claim-for-test.ts';
import { readBatches, readFileRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import { claimOf, openTestLedger, START } from '../../support/ledger-world.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';
import { decideFiles, type FileDecision, NOTHING_READ } from '../../../src/ledger/file/decide-file.ts';
import { transact, violates } from '../../../src/ledger/engine/transaction.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('claimFiles', () => {
  it('notes the file as claimed with everything that is known of it, and one audit link', async () => {
    const claim = claimOf({ bytes: 5_000_000_000, control: { rows: 2, totalCents: 500 }, completeness: 'sidecar' });
    expect(await claimForTest(world.ledger, claim)).toBe(true);
    expect(await readFileRow(world.ledger, claim.fileId)).toEqual({
      file_no: expect.any(Number),
      file_id: claim.fileId,
      read_from: expect.any(String),
      account: claim.account,
      merchant_no: expect.any(Number),
      meant_for: null,
      site: 'main',
      folder: claim.folder,
      operation: claim.operation,
      layout: null,
      name: claim.name,
      state: 'claimed',
      state_at: new Date(START),
      known_at: new Date(START),
      reason_code: null,
      reason: null,
      bytes: 5_000_000_000,
      sha256: claim.sha256,
      completeness: 'sidecar',
      output_form: claim.outputForm,
      profile_lines: null,
      profile_version: null,
      seen_at: claim.seenAt,
      claimed_at: new Date(START),
      aged_from: null,
      wrapped_key: claim.wrappedKey,
      archive: claim.archive,
      charset: 'utf-8',
      header_line: null,
      control: { rows: 2, totalCents: 500 },
      physical_lines: null,
      blank_lines: null,
      records: null,
      valid_rows: null,
      valid_cents: null,
      invalid_rows: null,
      withheld_cents: 0,
      withheld_unreadable: 0,
      fault_rules: null,
      duplicate_of: null,
      accepted_at: null,
      shredded_at: null,
      fingerprints_dropped_at: null,
      row_set: null,
      cleaning_no: null,
      compared_from: null,
      compared_to: 0,
      archive_no: null,
      content_sha256: null,
      content_key: null,
    });
    expect(await world.links(claim.fileId)).toEqual([
      {
        actor: 'worker:watch',
        batch_no: null,
        move: 'claim',
        from_state: null,
        to_state: 'claimed',
        reason: 'taken from folder drop/ach-charge',
        evidence: { bytes: 5_000_000_000, sha256: claim.sha256, completeness: 'sidecar' },
      },
    ]);
  });

  it('keeps null for a file without control totals', async () => {
    const { file_id: fileId } = await world.claimed({ control: null });
    expect((await readFileRow(world.ledger, fileId)).control).toBeNull();
  });

  it('changes nothing when it is done again, also after the file went on', async () => {
    const claim = claimOf();
    await claimForTest(world.ledger, claim);
    await world.putFile(claim.fileId, 'held');
    expect(await claimForTest(world.ledger, { ...claim, name: 'other.csv' })).toBe(false);
    expect(await readFileRow(world.ledger, claim.fileId)).toMatchObject({ state: 'held', name: claim.name });
    expect(await world.links(claim.fileId)).toHaveLength(1);
  });

  it('is new to one of many who claim at the same moment', async () => {
    const claim = claimOf();
    const answers = await Promise.all(Array.from({ length: 10 }, () => claimForTest(world.ledger, claim)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await world.links(claim.fileId)).toHaveLength(1);
  });

  it('takes the same bytes any number of times: the verdict is the place for duplicates', async () => {
    const first = await world.accepted();
    const again = await world.claimed({ account: first.account, sha256: first.sha256 });
    expect(again.state).toBe('claimed');
  });
});

const findings = {
  layout: 'ach',
  headerLine: 1,
  physicalLines: 9,
  blankLines: 1,
  records: 7,
  validRows: 5,
  validCents: 6_000_000_000_000,
  invalidRows: 2,
} as const;

const DECISIONS: { to: FileState; decision: FileDecision; reason: string }[] = [
  { to: 'accepted', decision: { verdict: 'accept' }, reason: 'every check passed' },
  {
    to: 'held',
    decision: { verdict: 'hold', code: 'CONTROL_TOTALS', reason: 'it says 8 rows' },
    reason: 'it says 8 rows',
  },
  {
    to: 'rejected',
    decision: { verdict: 'reject', code: 'COLUMN_COUNT', reason: '13 columns' },
    reason: '13 columns',
  },
];

const RULES: EffectRules = { duplicateRows: 'warn', sameTotals: 'hold', chargedBefore: 'off', misfits: 'refuse' };

describe('decideFiles', () => {
  it.each(DECISIONS)('$decision.verdict moves a claimed file to $to with what was found', async (row) => {
    const { to, decision, reason } = row;
    const { file_id: fileId } = await world.claimed();
    const [decided] = await transact(world.ledger, (tx) =>
      decideFiles(tx, [{ fileId, findings, decision, faultRules: RULES }]),
    );
    const code = decision.verdict === 'accept' ? null : decision.code;
    expect(await readFileRow(world.ledger, fileId)).toMatchObject(decided!);
    expect(decided).toMatchObject({
      state: to,
      reason_code: code,
      reason: code && reason,
      fault_rules: RULES,
      duplicate_of: null,
      layout: 'ach',
      header_line: 1,
      physical_lines: 9,
      blank_lines: 1,
      records: 7,
      valid_rows: 5,
      valid_cents: 6_000_000_000_000,
      invalid_rows: 2,
    });
    expect((await world.links(fileId)).slice(1)).toEqual([
      {
        actor: 'worker:intake',
        batch_no: null,
        move: decision.verdict,
        from_state: 'claimed',
        to_state: to,
        reason,
        evidence: { ...findings, ...(code && { code }) },
      },
    ]);
  });

  it('keeps the mark of the rows with the key, and out of the trail, which is kept for ever', async () => {
    const { file_id: fileId } = await world.claimed();
    await transact(world.ledger, (tx) =>
      decideFiles(tx, [
        {
          fileId,
          findings: { ...findings, rowSet: 'a mark' },
          decision: { verdict: 'accept' },
          contentKey: Buffer.from('sealed'),
        },
      ]),
    );
    expect(await readFileRow(world.ledger, fileId)).toMatchObject({
      row_set: 'a mark',
      content_key: Buffer.from('sealed'),
    });
    expect(JSON.stringify(await world.links(fileId))).not.toContain('a mark');
  });

  it.each(DECISIONS)('$decision.verdict refuses a file that is decided already', async ({ decision }) => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    const deciding = transact(world.ledger, (tx) => decideFiles(tx, [{ fileId: fileId, findings, decision }]));
    await expect(deciding).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await readFileRow(world.ledger, fileId)).state).toBe('accepted');
    expect(await readBatches(world.ledger, fileId)).toHaveLength(2);
    expect(await world.links(fileId)).toHaveLength(2);
  });

  it('keeps the rows of a refused file and none of its batches', async () => {
    const file = await world.rejected({ batches: 2, rowsPerBatch: 3, withheld: 1 });
    expect(await readBatches(world.ledger, file.file_id)).toEqual([]);
    const parts = await world.ledger.pool.query('SELECT 1 FROM sealed_part WHERE file_id = $1', [file.file_id]);
    expect(parts.rowCount).toBe(0);
    expect(await readOutcomeTotals(world.ledger, file.file_no)).toEqual({
      not_sent: { rows: 6, cents: 200 + 300 + 400 + 500 + 600 + 700 },
      invalid: { rows: 1, cents: 0 },
    });
  });

  it.each(['accepted', 'held'] as const)('keeps the batches of a file that is %s', async (kind) => {
    const { file_id: fileId, state } = await world[kind]({ batches: 2 });
    expect(state).toBe(kind);
    expect(await readBatches(world.ledger, fileId)).toHaveLength(2);
  });

  it('names the file that a duplicate repeats', async () => {
    const first = await world.accepted();
    const { file_id: fileId } = await world.claimed({ account: first.account, sha256: first.sha256 });
    const duplicateOf = first.file_id;
    const decision = { verdict: 'reject', code: 'DUPLICATE_FILE', reason: 'seen before', duplicateOf } as const;
    const [row] = await transact(world.ledger, (tx) => decideFiles(tx, [{ fileId, findings: NOTHING_READ, decision }]));
    expect(row).toMatchObject({ state: 'rejected', duplicate_of: duplicateOf, layout: null, header_line: null });
  });

  const verdicts = ['accept', 'hold'] as const;
  it.each(verdicts)('%s of bytes that the account has taken is refused by the database', async (verdict) => {
    const first = await world.accepted();
    const { file_id: fileId } = await world.claimed({ account: first.account, sha256: first.sha256 });
    const { decision } = DECISIONS.find((row) => row.decision.verdict === verdict)!;
    const failure = await transact(world.ledger, (tx) =>
      decideFiles(tx, [{ fileId: fileId, findings, decision }]),
    ).catch((error: unknown) => error);
    expect(violates(failure, 'one_content_per_merchant')).toBe(true);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('claimed');
    const other = await world.claimed({ sha256: first.sha256 });
    const [taken] = await transact(world.ledger, (tx) =>
      decideFiles(tx, [{ fileId: other.file_id, findings, decision }]),
    );
    expect(taken!.account).not.toBe(first.account);
  });
});
