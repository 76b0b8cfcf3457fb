import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { originalPath } from '../../../workers/open-original.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { cutAfterVerdict } from '../support/failing-app.ts';
import { stepWorld } from '../support/step-world.ts';
import { movesOf, query } from '../support/story.ts';
import { claimContent } from '../support/take-in.ts';

const world = stepWorld({ accounts: 4 });

const CODES = lines(upTo(3).map((n) => `${cardRow(n)},737`));

/** Claims a file with a security code at the end of every row. */
async function claimed(): Promise<Claim> {
  const claim = await claimContent(world.app, `drop/${world.freshAccount()}/card`, 'cvv.csv', CODES);
  await takeClaim(world.app, claim);
  return claim;
}

describe('intakeFile, for a file with security codes', () => {
  it('refuses it and keeps nothing that could open it', async () => {
    const claim = await claimed();
    const before = await readFileRow(world.app.ledger, claim.fileId);
    expect(existsSync(originalPath(world.app, before))).toBe(true);
    await intakeFile(world.app, claim);
    const file = await readFileRow(world.app.ledger, claim.fileId);
    expect(file).toMatchObject({ state: 'rejected', reason_code: 'SECURITY_CODE', wrapped_key: null, row_set: null });
    expect(file.shredded_at).toEqual(file.state_at);
    expect(existsSync(originalPath(world.app, file))).toBe(false);
    expect(existsSync(claim.workDir)).toBe(false);
    expect(await movesOf(world.app, claim)).toEqual(['claim', 'reject', 'shred']);
  });

  it('destroys the sealed bytes after a crash between the verdict and that', async () => {
    const claim = await claimed();
    const file = await readFileRow(world.app.ledger, claim.fileId);
    await expect(intakeFile(cutAfterVerdict(world.app), claim)).rejects.toThrow('power cut');
    expect(existsSync(originalPath(world.app, file))).toBe(true);
    await intakeFile(world.app, claim);
    expect(existsSync(originalPath(world.app, file))).toBe(false);
    expect(existsSync(claim.workDir)).toBe(false);
  });

  it('leaves no number of the file in the ledger', async () => {
    const claim = await claimed();
    await intakeFile(world.app, claim);
    const kept = await query(
      world.app,
      `SELECT invoice, customer_code, last_four, detail, value, reason
       FROM file JOIN payment_row USING (file_no) LEFT JOIN row_fault USING (file_no) WHERE file_id = $1`,
      [claim.fileId],
    );
    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toContain(CARD);
    expect(JSON.stringify(kept)).not.toContain('737');
  });
});
