import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { PROFILE_TEXT, putConfirmed } from '../../ledger/support/put-version.ts';
import { stepWorld } from '../support/step-world.ts';
import { openProfileFolder, PROFILE_TITLES } from '../support/profile-folder.ts';

const world = stepWorld({ accounts: 12 });
const openFolder = (text?: string) => openProfileFolder(world, text);

const BECAUSE = { actor: 'operator:ada', reason: 'compared with the books' };

const ROWS = ['R-1,C001,June,25.00', 'R-2,C002,,30.00'];

function faultsOf(fileId: string): Promise<{ code: string; line: number; detail: string | null }[]> {
  return world.query(
    'SELECT code, line, detail FROM row_fault JOIN file USING (file_no) WHERE file_id = $1 ORDER BY seq',
    [fileId],
  );
}

describe('intakeFile, by the profile of the folder', () => {
  it('holds the first file of a version; approved, it is sent and delivered, and the next is accepted', async () => {
    const { app, drop } = await openFolder();
    const first = await drop(...ROWS);
    expect(await world.file(first)).toMatchObject({
      state: 'held',
      reason_code: 'PROFILE_FIRST_FILE',
      layout: 'card-code',
      records: 2,
      valid_cents: 5_500,
      profile_lines: { lines: { titles: 1, payment: 2 } },
    });
    await approveFile(app.ledger, first, BECAUSE);
    const second = await drop('R-3,C003,,1.00');
    expect(await world.file(second)).toMatchObject({ state: 'accepted', valid_cents: 100 });
    await deliverFile(app, { fileId: second });
    const notices = await world.query<{ name: string }>('SELECT name FROM output WHERE file_id = $1', [second]);
    const ack = await readFile(join(world.settings.paths.out, notices[0]!.name), 'utf8');
    expect(ack).toContain('ACCEPTED');
  });

  it('holds the whole file when one amount does not fit', async () => {
    const { drop } = await openFolder();
    const fileId = await drop(...ROWS, 'R-4,C004,,"1,200.00"');
    expect(await world.file(fileId)).toMatchObject({ state: 'held', valid_rows: 2, invalid_rows: 1 });
    expect((await faultsOf(fileId)).map(({ code, line }) => [code, line])).toContainEqual(['NUMBER_FORMAT', 4]);
  });

  it('refuses a file with another column, and says which', async () => {
    const { app, seen } = await openFolder();
    const claimed = await seen(
      ROWS.map((row) => `${row},1.00`),
      `${PROFILE_TITLES},Fee`,
    );
    await takeClaim(app, claimed);
    await intakeFile(app, claimed);
    expect(await world.file(claimed.fileId)).toMatchObject({ state: 'rejected', reason_code: 'TITLES_DIFFER' });
    expect((await faultsOf(claimed.fileId))[0]!.detail).toContain('"Fee"');
  });

  it.each([
    ['reads it otherwise: it is held, with both totals', "decimal: ','", 'PROFILE_CHANGED'],
    ['reads it alike: it is the first file of the newer', "decimal: '.', group: ','", 'PROFILE_FIRST_FILE'],
  ])(
    'compares with the version before, when the file was seen before the newer was confirmed and it %s',
    async (_, to, code) => {
      const { app, name, seen } = await openFolder();
      const claimed = await seen(ROWS);
      await putConfirmed(app.ledger, name, PROFILE_TEXT.replace("decimal: '.'", to));
      await takeClaim(app, claimed);
      await intakeFile(app, claimed);
      expect(await world.file(claimed.fileId)).toMatchObject({ state: 'held' });
      const codes = (await faultsOf(claimed.fileId)).map((fault) => fault.code);
      expect(codes).toContain(code);
      expect(codes.includes('PROFILE_CHANGED')).toBe(code === 'PROFILE_CHANGED');
    },
  );

  it('reads with the version of the claim, though another is confirmed before it is read', async () => {
    const { app, name, claim } = await openFolder();
    const fileId = await claim(...ROWS);
    await putConfirmed(app.ledger, name, PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"));
    await intakeFile(app, { fileId });
    expect(await world.file(fileId)).toMatchObject({ state: 'held', valid_cents: 5_500 });
  });

  it('reads with the version of the claim, though it is retired before it is read', async () => {
    const { app, version, claim } = await openFolder();
    const fileId = await claim(...ROWS);
    await retireVersion(app.ledger, version.profile_no, BECAUSE);
    await intakeFile(app, { fileId });
    expect(await world.file(fileId)).toMatchObject({ state: 'held', valid_cents: 5_500 });
  });
});
