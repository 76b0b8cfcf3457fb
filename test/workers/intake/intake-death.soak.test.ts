import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { cutAfterVerdict, cutAtRing, cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { findDueWork } from '../../support/due-work.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { claimContent, openProfileFolder, rungBy } from '../support/story.ts';
import { PROFILE_TEXT, putConfirmed } from '../../ledger/support/put-version.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { openEarlierPaymentsWorld } from '../support/look-back-world.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

/** The process dies in the middle of an intake, at every statement in turn. */

const world = stepWorld({ accounts: 29 });

/** Claims eleven rows, one of them withheld, to reach every kind of statement. */
async function claimed(): Promise<Claim> {
  const content = lines([...upTo(10).map((n) => achRow(n)), achRow(11, { amount: 'ten' })]);
  const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'june.csv', content);
  await takeClaim(world.app, claim);
  return claim;
}

async function countRows(fileId: string): Promise<Record<string, number>> {
  const [counts] = await world.query<Record<string, number>>(
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
  expect(await world.file(claim.fileId)).toMatchObject({ state: 'accepted', valid_rows: 10 });
  expect((await readBatches(world.app.ledger, claim.fileId)).every((batch) => batch.state === 'ready')).toBe(true);
  expect(await world.movesOf(claim)).toEqual(['claim', 'accept']);
  expect(existsSync(claim.workDir)).toBe(false);
  expect((await verifyAudit(world.app.ledger)).brokenAt).toBeUndefined();
}

describe('an intake that dies before its commit', () => {
  it.each([
    ['the first question', /fingerprint_volume WHERE merchant_no/, 0],
    ['the batches', /COPY batch/, 0],
    ['the sealed bodies', /COPY sealed_part/, 0],
    ['the rows', /COPY payment_row/, 0],
    ['the faults', /COPY row_fault/, 0],
    ['the volume of the fingerprints', /INSERT INTO fingerprint_volume/, 0],
    ['the verdict', /commit_intake/, 0],
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
      expect((await world.file(claim.fileId)).state).toBe('claimed');
      expect(existsSync(claim.path)).toBe(true);

      expect(await rungBy(() => intakeFile(world.app, claim))).toEqual(['deliver', 'submit']);
      await expectWhole(claim);
    },
  );
});

describe('an intake by a profile that dies before its commit', () => {
  it.each([
    ['the batches', /COPY batch/],
    ['the rows', /COPY payment_row/],
    ['the faults', /COPY row_fault/],
    ['the verdict', /commit_intake/],
    ['the commit', /COMMIT$/],
  ])('at %s: the next try reads with the same version, whatever was confirmed meanwhile', async (_at, sql) => {
    const { app, name, version, claim } = await openProfileFolder(world);
    const fileId = await claim('R-1,C001,June,25.00', 'R-2,C002,,30.00');
    const cut = cutAtStatement(app, sql);
    await expect(intakeFile(cut.app, { fileId })).rejects.toThrow(POWER_CUT);
    await putConfirmed(app.ledger, name, PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"));
    await intakeFile(app, { fileId });
    expect(await world.file(fileId)).toMatchObject({
      state: 'held',
      reason_code: 'PROFILE_FIRST_FILE',
      profile_version: version.profile_no,
      valid_cents: 5_500,
    });
  });
});

describe('an intake that dies after its commit', () => {
  it('before the plain bytes are removed: the next try removes them', async () => {
    const claim = await claimed();
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow(POWER_CUT);
    expect((await world.file(claim.fileId)).state).toBe('accepted');
    expect(existsSync(claim.path)).toBe(true);
    await intakeFile(world.app, claim);
    await expectWhole(claim);
  });

  it.each(['submit', 'deliver'] as const)(
    'before the ring for %s: that is due, and the next try rings',
    async (name) => {
      const claim = await claimed();
      const cut = cutAtRing(world.app, name);
      await intakeFile(cut.app, claim);
      expect(cut.wasCut()).toBe(true);
      expect(existsSync(claim.workDir)).toBe(false);
      const due = await findDueWork(world.app.ledger);
      expect(due.submit.map(({ fileId }) => fileId)).toContain(claim.fileId);
      expect(due.deliver).toContain(claim.fileId);
      expect(await rungBy(() => intakeFile(cut.app, claim))).toEqual(['deliver', 'submit']);
      await expectWhole(claim);
    },
  );
});

const earlierWorld = openedForTests(openEarlierPaymentsWorld);

describe('the total of a day', () => {
  const cents = (n: number, amount: string) => [achRow(n, { amount })];

  it('is that of all accepted files of the account; one above it is held with the figures', async () => {
    const first = await earlierWorld.take('limited', 'any', cents(31, '60.00'));
    expect(await earlierWorld.verdictOf(await earlierWorld.take('limited', 'off', cents(32, '40.00')))).toMatchObject({
      state: 'accepted',
    });
    const over = await earlierWorld.take('limited', 'any', cents(33, '0.01'));
    expect(await earlierWorld.verdictOf(over)).toMatchObject({
      state: 'held',
      code: 'LIMIT_DAY_TOTAL',
      faults: [{ detail: '0.01 and 100.00 accepted before, at most 100.00' }],
    });
    const refund = await earlierWorld.take('limited', 'refund', cents(34, '-0.01'));
    expect(await earlierWorld.verdictOf(refund)).toMatchObject({ code: 'LIMIT_DAY_TOTAL' });

    // Yesterday's files and held ones do not count; approved ones do.
    await earlierWorld.age(first, 1);
    expect(await earlierWorld.verdictOf(await earlierWorld.take('limited', 'any', cents(35, '59.99')))).toMatchObject({
      state: 'accepted',
    });
    await approveFile(earlierWorld.app.ledger, over, { actor: 'operator:ada', reason: 'known' });
    expect(await earlierWorld.verdictOf(await earlierWorld.take('limited', 'any', cents(36, '0.01')))).toMatchObject({
      code: 'LIMIT_DAY_TOTAL',
    });
    expect(
      await earlierWorld.verdictOf(await earlierWorld.take(earlierWorld.freshAccount(), 'any', cents(37, '1000.00'))),
    ).toMatchObject({
      state: 'accepted',
    });
  });
});

describe('an unusual file', () => {
  let n = 1_000;
  const rowsOf = (count: number, amount = '10.00') => upTo(count).map(() => achRow((n += 1), { amount }));

  it('is one of more than three times the usual rows or total, from the fifth on', async () => {
    const account = earlierWorld.freshAccount();
    for (const count of [2, 2, 2]) await earlierWorld.take(account, 'usual', rowsOf(count));
    // The fourth has too few files before it, whatever its size.
    expect(await earlierWorld.verdictOf(await earlierWorld.take(account, 'usual', rowsOf(40)))).toMatchObject({
      state: 'accepted',
    });

    expect(await earlierWorld.verdictOf(await earlierWorld.take(account, 'usual', rowsOf(7, '1.00')))).toMatchObject({
      state: 'held',
      code: 'UNUSUAL_ROWS',
      faults: [{ detail: '7 rows, more than 3 times the usual 2 (median of the last 4 files)' }],
    });
    expect(await earlierWorld.verdictOf(await earlierWorld.take(account, 'usual', rowsOf(1, '60.01')))).toMatchObject({
      state: 'held',
      code: 'UNUSUAL_TOTAL',
      faults: [{ detail: '60.01, more than 3 times the usual 20.00 (median of the last 4 files)' }],
    });
    expect(await earlierWorld.verdictOf(await earlierWorld.take(account, 'usual', rowsOf(6)))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });

  it('is none in a folder that does not ask, nor by the files of another folder', async () => {
    const account = earlierWorld.freshAccount();
    for (let count = 0; count < 4; count += 1) await earlierWorld.take(account, 'any', rowsOf(1));
    expect(await earlierWorld.verdictOf(await earlierWorld.take(account, 'any', rowsOf(10)))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
    expect(await earlierWorld.verdictOf(await earlierWorld.take(account, 'usual', rowsOf(10)))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });
});
