import { appendFile, chmod, mkdir, readFile, rename, rm, rmdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  diskSpace,
  folders,
  judgeRoom,
  leftOvers,
  ownFolders,
  permissions,
  places,
} from '../../../src/cli/doctor/folders.ts';
import { openPatientWorld, WELL } from '../support/cli-world.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { journal, journalFiles } from '../../../src/cli/doctor/journal.ts';
import { acknowledgeForgotten } from '../../../src/ledger/account/pause-account.ts';
import { recallForgotten } from '../../../src/ledger/doubt/recall-batch.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { originals } from '../../../src/cli/doctor/originals.ts';

const world = openedForTests(openPatientWorld);

describe('folders', () => {
  it('names companions that lie without their payment file', async () => {
    expect(await world.look(leftOvers)).toEqual(WELL);
    const folder = world.settings.folders[0]!;
    const path = join(folder.path, 'june.csv.ctl');
    await writeFile(path, 'rows=1');
    await utimes(path, 1_700_000_000, 1_700_000_000);
    expect(await world.look(leftOvers)).toMatchObject([
      {
        level: 'warn',
        found: expect.stringMatching(/without their payment file for more than an hour: june\.csv\.ctl$/),
      },
    ]);
    const marked = { ...world.settings, folders: [{ ...folder, complete: { by: 'control' } as const }] };
    await writeFile(join(folder.path, 'june.csv'), 'rows');
    expect(await world.look(leftOvers, { settings: marked })).toMatchObject([
      { level: 'warn', found: expect.stringMatching(/changed after their marker, so they wait: june\.csv$/) },
    ]);
    await Promise.all(['june.csv', 'june.csv.ctl'].map((name) => rm(join(folder.path, name))));
  });

  describe('folders', () => {
    it('finds all there', async () => {
      expect(await world.look(folders)).toEqual(WELL);
    });

    it('names a drop folder that is missing, and the command that makes it', async () => {
      const { path } = world.settings.folders[0]!;
      await rename(path, `${path}.away`);
      expect(await world.look(folders)).toEqual([
        { level: 'bad', found: `the drop folder "${path}" is missing`, remedy: `mkdir -p ${path}` },
      ]);
      await rename(`${path}.away`, path);
    });

    it('expects the next start to make our own', async () => {
      const settings = { ...world.settings, paths: { ...world.settings.paths, out: join(world.root, 'new') } };
      expect(await world.look(folders, { settings })).toMatchObject([{ level: 'warn' }]);
    });

    it('names a file that stands in the place of a folder', async () => {
      const out = join(world.root, 'a-file');
      await writeFile(out, '');
      const settings = { ...world.settings, paths: { ...world.settings.paths, out } };
      expect(await world.look(folders, { settings })).toMatchObject([
        { level: 'bad', found: `"${out}" is not a folder` },
      ]);
    });
  });

  it.each([
    ['a link to itself', 'loop', 'the links in its path form a circle'],
    ['a path that is too long', 'a'.repeat(300), 'its path is longer than the system allows'],
  ])('folders says what it is that no right would open: %s', async (_what, name, reason) => {
    const out = join(world.root, name);
    if (name === 'loop') await symlink(name, out);
    const settings = { ...world.settings, paths: { ...world.settings.paths, out } };
    expect(await world.look(folders, { settings })).toMatchObject([
      { level: 'bad', found: `"${out}" cannot be used: ${reason}` },
    ]);
  });

  it('ownFolders names each once', () => {
    const own = ownFolders(world.settings);
    expect(new Set(own).size).toBe(own.length);
    expect(own).toContain(world.settings.paths.archive);
  });

  describe('places', () => {
    it('is well when drop and work folder lie together', async () => {
      expect(await world.look(places)).toEqual(WELL);
    });

    it('counts a work folder that the next start makes as the place where it will be', async () => {
      const [folder] = world.settings.folders;
      const settings = { ...world.settings, folders: [{ ...folder!, work: join(world.root, 'not', 'yet') }] };
      expect(await world.look(places, { settings })).toEqual(WELL);
    });

    it('leaves folders that are missing to the other check, and all to other hosts where none is needed', async () => {
      const [folder] = world.settings.folders;
      const settings = { ...world.settings, folders: [{ ...folder!, path: join(world.root, 'nowhere') }] };
      expect(await world.look(places, { settings })).toEqual([]);
      expect(
        await world.look(places, { settings: { ...world.settings, folders: [] }, env: { PAYDROP_ROLES: 'submit' } }),
      ).toEqual([]);
    });
  });

  describe('permissions', () => {
    it('is well when nobody else has rights that matter', async () => {
      expect(await world.look(permissions)).toEqual(WELL);
    });

    it.each([
      ['paydrop.yaml', 0o620, 0o600, 'go-w'],
      ['data', 0o744, 0o711, 'go-rw'],
      ['data/master.key', 0o640, 0o600, '600'],
      ['data/journal/sends.jsonl', 0o620, 0o600, 'go-w'],
      ['data/archive', 0o750, 0o700, '700'],
      ['data/work', 0o701, 0o700, '700'],
      ['out', 0o705, 0o770, 'o-rwx'],
      ['quarantine', 0o701, 0o700, 'o-rwx'],
      ['drop/card', 0o777, 0o775, 'o-w'],
    ])('finds that %s has mode %o, and takes %o', async (name, loose, tight, mode) => {
      const path = join(world.root, name);
      await chmod(path, loose);
      expect(await world.look(permissions)).toMatchObject([
        {
          level: 'bad',
          found: expect.stringContaining(`"${path}" has mode 0${loose.toString(8)}: `),
          remedy: `chmod ${mode} ${path}`,
        },
      ]);
      await chmod(path, tight);
      expect(await world.look(permissions)).toEqual(WELL);
    });
  });

  describe('diskSpace', () => {
    it('says how much is free where least is', async () => {
      const [finding] = await world.look(diskSpace);
      expect(finding!.found).toMatch(/^at least \d+ MiB are free everywhere$|MiB are free in/);
    });

    it('looks at an archive on a disk of its own', async () => {
      // `/proc` has no free space at all.
      const settings = { ...world.settings, paths: { ...world.settings.paths, archive: '/proc' } };
      expect(await world.look(diskSpace, { settings })).toContainEqual(
        expect.objectContaining({ level: 'bad', found: '0 MiB are free in "/proc"' }),
      );
    });
  });

  describe('judgeRoom', () => {
    it.each([
      [99, 'bad'],
      [100, 'warn'],
      [1_023, 'warn'],
      [1_024, undefined],
    ])('%i MiB: %s', (free, level) => {
      expect(judgeRoom([{ path: '/srv', disk: '1', free }])?.level).toBe(level);
    });

    it('says once what several folders of a disk share', () => {
      const rooms = ['/srv/drop', '/srv/out', '/srv/data'].map((path) => ({ path, disk: '1', free: 7 }));
      expect(judgeRoom(rooms)?.found).toBe('7 MiB are free in "/srv/drop", and on its disk for 2 other folders');
    });
  });
});

describe('journal', () => {
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
      expect(await world.look(journalFiles)).toMatchObject([
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
        { level: 'bad', found: expect.stringContaining('1 call of account main'), remedy: 'paydrop account list' },
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
          remedy: 'paydrop account forgotten main',
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
        { level: 'bad', found: `1 missing in the archive: ${fileId}`, remedy: expect.stringContaining('backup') },
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
      expect(finding).toMatchObject({ level: 'bad', remedy: expect.stringContaining('Their senders can drop them') });
      expect(finding!.found).toMatch(new RegExp(`: ${FORGOTTEN} of \\d{4}-\\d{2}-\\d{2}$`));
    });

    it('says never to drop one again that was sent, whether the ledger has been told of it or not', async () => {
      const { journal } = world.settings.paths;
      const sent = [{ level: 'bad', found: expect.stringContaining('although they were sent'), remedy: MUST_NOT }];
      const before = await readFile(journal, 'utf8');
      const entry = { account: 'main', fileId: FORGOTTEN, batchNo: 1, attempt: 1, sha256: 'ab' };
      await appendFile(journal, `\n${JSON.stringify({ at: '2026-06-15T10:00:00.000Z', ...entry })}`);
      expect(await world.look(originals)).toMatchObject(sent);
      await recallForgotten(world.app.ledger, journal);
      await writeFile(journal, before);
      expect(await world.look(originals)).toMatchObject(sent);
      await forceSql(world.app, `UPDATE forgotten_send SET account = 'gone' WHERE file_id = $1`, [FORGOTTEN]);
      expect(await world.look(originals), 'of an account that left the configuration').toMatchObject(sent);
    });

    it('is well once a person has acknowledged its calls, and still names it', async () => {
      await acknowledgeForgotten(world.app.ledger, 'main', { actor: 'operator:ann', reason: 'looked it up' });
      expect(await world.look(originals)).toMatchObject([
        { level: 'ok', found: expect.stringMatching(/^1 sealed/) },
        { level: 'ok', found: expect.stringMatching(new RegExp(`must never be dropped again: ${FORGOTTEN} of`)) },
      ]);
    });

    it('is well once one that was never sent is moved away, as it says', async () => {
      const { path } = await pathOf();
      const never = join(path, '..', `${newFileId()}.sealed`);
      await writeFile(never, await readFile(path));
      const [finding] = await world.look(originals);
      expect(finding).toMatchObject({ level: 'bad', remedy: expect.stringContaining('move the sealed files out of') });
      await rename(never, join(world.root, 'moved.sealed'));
      expect((await world.look(originals)).map(({ level }) => level)).toEqual(['ok', 'ok']);
    });

    it('leaves one closed whose key was destroyed on purpose', async () => {
      await world.app.ledger.pool.query('DELETE FROM file_secret');
      const found = (await world.look(originals)).map((finding) => finding.found).join();
      expect(found).not.toContain('cannot be opened:');
    });
  });
});
