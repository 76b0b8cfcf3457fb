import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimFile } from '../../../src/ledger/file/claim-file.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { claimOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('claimFile', () => {
  it('notes the file as claimed with everything that is known of it, and one audit link', async () => {
    const claim = claimOf({ bytes: 5_000_000_000, control: { rows: 2, totalCents: 500 }, completeness: 'sidecar' });
    expect(await claimFile(world.ledger, claim)).toBe(true);
    expect(await readFileRow(world.ledger, claim.fileId)).toEqual({
      file_no: expect.any(Number),
      file_id: claim.fileId,
      account: claim.account,
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
      duplicate_of: null,
      accepted_at: null,
      shredded_at: null,
      fingerprints_dropped_at: null,
      row_set: null,
      cleaning_no: null,
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
    await claimFile(world.ledger, claim);
    await world.putFile(claim.fileId, 'held');
    expect(await claimFile(world.ledger, { ...claim, name: 'other.csv' })).toBe(false);
    expect(await readFileRow(world.ledger, claim.fileId)).toMatchObject({ state: 'held', name: claim.name });
    expect(await world.links(claim.fileId)).toHaveLength(1);
  });

  it('is new to one of many who claim at the same moment', async () => {
    const claim = claimOf();
    const answers = await Promise.all(Array.from({ length: 10 }, () => claimFile(world.ledger, claim)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await world.links(claim.fileId)).toHaveLength(1);
  });

  it('takes the same bytes any number of times: the verdict is the place for duplicates', async () => {
    const first = await world.accepted();
    const again = await world.claimed({ account: first.account, sha256: first.sha256 });
    expect(again.state).toBe('claimed');
  });
});
