import { appendFile, mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { journal } from '../../../src/cli/doctor/journal.ts';
import { acknowledgeForgotten } from '../../../src/ledger/account/pause-account.ts';
import { recallForgotten } from '../../../src/ledger/doubt/recall-batch.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openPatientWorld, WELL } from './support/patient-world.ts';
import { originals } from '../../../src/cli/doctor/originals.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openPatientWorld);

/** The tests build on each other. */
describe('journal', () => {
  it('is well when it agrees with the ledger, and so are originals that are known and open', async () => {
    for (const check of [journal, originals]) expect(await world.look(check)).toEqual(WELL);
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    await world.finish();
    expect(await world.look(journal)).toEqual(WELL);
    expect(await world.look(originals)).toMatchObject([{ level: 'ok', found: expect.stringMatching(/^1 sealed/) }]);
  });

  it('finds that it is missing although something was sent', async () => {
    const path = world.settings.paths.journal;
    await rename(path, `${path}.away`);
    expect(await world.look(journal)).toMatchObject([
      { level: 'bad', found: expect.stringContaining('it is missing') },
    ]);
    await rename(`${path}.away`, path);
  });

  it('finds a folder in its place', async () => {
    const path = world.settings.paths.journal;
    await rename(path, `${path}.away`);
    await mkdir(path);
    expect(await world.look(journal)).toMatchObject([
      { level: 'bad', found: expect.stringContaining('its path is not a file') },
    ]);
    await rmdir(path);
    await rename(`${path}.away`, path);
  });

  it('finds a call that the ledger has forgotten, and changes nothing', async () => {
    const entry = {
      at: '2026-06-15T10:00:00.000Z',
      account: 'main',
      fileId: newFileId(),
      batchNo: 1,
      attempt: 1,
      sha256: 'ab',
    };
    await appendFile(world.settings.paths.journal, `\n${JSON.stringify(entry)}`);
    const findings = [
      { level: 'bad', found: expect.stringContaining('1 call of account main'), mend: 'paydrop account list' },
    ];
    expect(await world.look(journal)).toEqual(findings);
    expect(await world.look(journal)).toEqual(findings);
    const { rows } = await world.app.ledger.pool.query('SELECT * FROM account_stop');
    expect(rows).toEqual([]);
  });

  it('finds it also when the ledger has been told, until a person has looked', async () => {
    await recallForgotten(world.app.ledger, world.settings.paths.journal);
    expect(await world.look(journal)).toEqual([
      {
        level: 'bad',
        found: '1 call of account main that a restored ledger lacks, and no person has acknowledged',
        mend: 'paydrop account forgotten main',
      },
    ]);
    await acknowledgeForgotten(world.app.ledger, 'main', { actor: 'operator:ann', reason: 'to see' });
    expect(await world.look(journal)).toEqual(WELL);
  });
});

/** Returns where the original of the only file lies. */
async function pathOf(): Promise<{ fileId: string; path: string }> {
  const { rows } = await world.app.ledger.pool.query<{ file_id: string; archive: string }>('SELECT * FROM file');
  return { fileId: rows[0]!.file_id, path: join(world.settings.paths.archive, rows[0]!.archive) };
}

const FORGOTTEN = newFileId();
const MUST_NOT: unknown = expect.stringMatching(/^Never drop them again\./);

/** The tests build on each other. */
describe('originals', () => {
  it('names one that is missing', async () => {
    const { fileId, path } = await pathOf();
    await rename(path, `${path}.away`);
    expect(await world.look(originals)).toMatchObject([
      { level: 'bad', found: `1 missing in the archive: ${fileId}`, mend: expect.stringContaining('backup') },
    ]);
    await rename(`${path}.away`, path);
  });

  it('names one that was changed', async () => {
    const { fileId, path } = await pathOf();
    const bytes = await readFile(path);
    const changed = Buffer.from(bytes);
    changed[changed.length - 1]! ^= 1;
    await writeFile(path, changed);
    expect(await world.look(originals)).toMatchObject([{ level: 'bad', found: `1 cannot be opened: ${fileId}` }]);
    await writeFile(path, bytes);
  });

  it('names one that a restored ledger has forgotten, with its day, and what the sender may do', async () => {
    const { path } = await pathOf();
    await writeFile(join(path, '..', `${FORGOTTEN}.sealed`), await readFile(path));
    const [finding] = await world.look(originals);
    expect(finding).toMatchObject({
      level: 'bad',
      mend: expect.stringContaining('their senders can drop them again'),
    });
    expect(finding!.found).toMatch(new RegExp(`: ${FORGOTTEN} of \\d{4}-\\d{2}-\\d{2}$`));
  });

  it('says never to drop one again that was sent, whether the ledger has been told of it or not', async () => {
    const { journal } = world.settings.paths;
    const sent = [{ level: 'bad', found: expect.stringContaining('although they were sent'), mend: MUST_NOT }];
    const before = await readFile(journal, 'utf8');
    const entry = { account: 'main', fileId: FORGOTTEN, batchNo: 1, attempt: 1, sha256: 'ab' };
    await appendFile(journal, `\n${JSON.stringify({ at: '2026-06-15T10:00:00.000Z', ...entry })}`);
    expect(await world.look(originals)).toMatchObject(sent);
    await recallForgotten(world.app.ledger, journal);
    await writeFile(journal, before);
    expect(await world.look(originals)).toMatchObject(sent);
  });

  it('leaves one closed whose key was destroyed on purpose', async () => {
    await world.app.ledger.pool.query('DELETE FROM file_secret');
    const found = (await world.look(originals)).map((finding) => finding.found).join();
    expect(found).not.toContain('cannot be opened:');
  });
});
