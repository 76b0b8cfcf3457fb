import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { readBatches, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/file/search.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { cutAfterVerdict, cutAtJob, cutAtStatement, POWER_CUT } from '../support/failing-app.ts';
import { stepWorld } from '../support/step-world.ts';
import { jobsAddedBy, movesOf, query } from '../support/story.ts';
import { claimContent } from '../support/take-in.ts';

/** The process dies in the middle of an intake, at every statement in turn. */

const world = stepWorld({ accounts: 24 });

/** Claims eleven rows, one of them withheld, to reach every kind of statement. */
async function claimed(): Promise<Claim> {
  const content = lines([...upTo(10).map((n) => achRow(n)), achRow(11, { amount: 'ten' })]);
  const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'june.csv', content);
  await takeClaim(world.app, claim);
  return claim;
}

async function countRows(fileId: string): Promise<Record<string, number>> {
  const [counts] = await query<Record<string, number>>(
    world.app,
    `SELECT (SELECT count(*) FROM payment_row r WHERE r.file_no = f.file_no) AS rows,
            (SELECT count(*) FROM row_fault r WHERE r.file_no = f.file_no) AS faults,
            (SELECT count(*) FROM batch b WHERE b.file_id = f.file_id) AS batches,
            (SELECT count(*) FROM sealed_part p WHERE p.file_id = f.file_id) AS bodies
     FROM file f WHERE file_id = $1`,
    [fileId],
  );
  return counts!;
}

async function expectWhole(claim: Claim): Promise<void> {
  expect(await countRows(claim.fileId)).toEqual({ rows: 11, faults: 1, batches: 5, bodies: 5 });
  expect(await readFileRow(world.app.ledger, claim.fileId)).toMatchObject({ state: 'accepted', valid_rows: 10 });
  expect((await readBatches(world.app.ledger, claim.fileId)).every((batch) => batch.state === 'ready')).toBe(true);
  expect(await movesOf(world.app, claim)).toEqual(['claim', 'accept']);
  expect(existsSync(claim.workDir)).toBe(false);
  expect(await verifyAudit(world.app.ledger)).toBeUndefined();
}

describe('an intake that dies before its commit', () => {
  it.each([
    ['the first question', /fingerprint_volume WHERE account/, 0],
    ['the batches', /COPY batch/, 0],
    ['the sealed bodies', /COPY sealed_part/, 0],
    ['the rows', /COPY payment_row/, 0],
    ['the faults', /COPY row_fault/, 0],
    ['the volume of the fingerprints', /INSERT INTO fingerprint_volume/, 0],
    ['the verdict', /UPDATE file SET state/, 0],
    ['the audit', /append_audit/, 0],
    ['the commit', /COMMIT$/, 0],
  ])(
    'at %s: nothing is in the ledger, the bytes are there, the next try takes all of it once',
    async (_at, sql, passes) => {
      const claim = await claimed();
      const cut = cutAtStatement(world.app, sql, passes);
      await expect(intakeFile(cut.app, claim)).rejects.toThrow(POWER_CUT);
      expect(cut.wasCut()).toBe(true);
      expect(await countRows(claim.fileId)).toEqual({ rows: 0, faults: 0, batches: 0, bodies: 0 });
      expect((await readFileRow(world.app.ledger, claim.fileId)).state).toBe('claimed');
      expect(existsSync(claim.path)).toBe(true);

      expect(await jobsAddedBy(world.app, claim.fileId, () => intakeFile(world.app, claim))).toEqual([
        'deliver',
        'submit-1',
      ]);
      await expectWhole(claim);
    },
  );
});

describe('an intake that dies after its commit', () => {
  it('before the plain bytes are removed: the next try removes them', async () => {
    const claim = await claimed();
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow(POWER_CUT);
    expect((await readFileRow(world.app.ledger, claim.fileId)).state).toBe('accepted');
    expect(existsSync(claim.path)).toBe(true);
    await intakeFile(world.app, claim);
    await expectWhole(claim);
  });

  it.each(['submit', 'deliver'] as const)('before the job for %s: the next try asks again', async (name) => {
    const claim = await claimed();
    const cut = cutAtJob(world.app, name);
    await expect(intakeFile(cut.app, claim)).rejects.toThrow(POWER_CUT);
    expect(cut.wasCut()).toBe(true);
    expect(existsSync(claim.workDir)).toBe(false);
    expect(await jobsAddedBy(world.app, claim.fileId, () => intakeFile(cut.app, claim))).toEqual([
      'deliver',
      'submit-1',
    ]);
    await expectWhole(claim);
  });
});
