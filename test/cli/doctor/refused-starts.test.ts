import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startWorkers } from '../../../workers/main.ts';
import { openApp } from '../../../src/app.ts';
import { examine, worstOf } from '../../../src/cli/doctor/doctor.ts';
import { readRoles } from '../../../src/cli/process/start.ts';
import type { Settings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openPatientWorld } from '../support/cli-world.ts';

/** Every set-up that "paydrop start" refuses makes "paydrop doctor" fail. */

const world = openedForTests(openPatientWorld);

type SetUp = { settings: Settings; env?: NodeJS.ProcessEnv };
type Break = (settings: Settings, root: string) => Promise<SetUp>;

const withPaths =
  (paths: (root: string) => Partial<Settings['paths']>): Break =>
  async (settings, root) => ({ settings: { ...settings, paths: { ...settings.paths, ...paths(root) } } });

const withDrops =
  (
    change: (
      folder: Settings['folders'][number],
      root: string,
    ) => Promise<readonly Partial<Settings['folders'][number]>[]>,
  ): Break =>
  async (settings, root) => {
    const folder = settings.folders[0]!;
    const made = await change(folder, root);
    return { settings: { ...settings, folders: made.map((each) => ({ ...folder, ...each })) } };
  };

/** The server of tests runs without syncs, which any check of it reports. */
const isOfTests = ({ found }: { found: string }) => found.includes('is off: a power cut could lose');

const BROKEN: readonly (readonly [name: string, breakIt: Break])[] = [
  [
    'two drop folders that a link makes one',
    withDrops(async ({ path }, root) => {
      await symlink(path, join(root, 'same'));
      return [{}, { id: 'drop/same', path: join(root, 'same') }];
    }),
  ],
  [
    'a drop folder inside another by a link',
    withDrops(async ({ path }, root) => {
      await mkdir(join(path, 'inner'));
      await symlink(join(path, 'inner'), join(root, 'inner'));
      return [{}, { id: 'drop/inner', path: join(root, 'inner') }];
    }),
  ],
  ['a drop folder that is missing', withDrops(async (_, root) => [{ path: join(root, 'missing') }])],
  [
    'a drop folder that is a file',
    withDrops(async (_, root) => {
      await writeFile(join(root, 'file'), '');
      return [{ path: join(root, 'file') }];
    }),
  ],
  ['a work folder on another file system', withDrops(async () => [{ work: '/proc' }])],
  [
    'outputs that a link leads into a drop folder',
    async (settings, root) => {
      await symlink(settings.folders[0]!.path, join(root, 'out-link'));
      return { settings: { ...settings, paths: { ...settings.paths, out: join(root, 'out-link') } } };
    },
  ],
  ['no folder at this site', async (settings) => ({ settings: { ...settings, site: 'elsewhere' } })],
  ['a master key that is missing', withPaths((root) => ({ masterKey: join(root, 'no.key') }))],
  ['a send journal that is a folder', withPaths((root) => ({ journal: root }))],
  [
    'a mirror below a file',
    async (settings, root) => {
      await writeFile(join(root, 'drive'), '');
      return { settings: { ...settings, paths: { ...settings.paths, mirror: join(root, 'drive', 'sends.jsonl') } } };
    },
  ],
  [
    'a mirror of another journal',
    async (settings, root) => {
      const mirror = join(root, 'other.jsonl');
      await writeFile(
        mirror,
        `${JSON.stringify({ kind: 'begin', journal: 'another', at: '2026-06-15T10:00:00.000Z' })}\n`,
      );
      return { settings: { ...settings, paths: { ...settings.paths, mirror } } };
    },
  ],
  ['a role that does not exist', async (settings) => ({ settings, env: { PAYDROP_ROLES: 'wach' } })],
  [
    'a database that does not answer',
    async (settings) => ({ settings: { ...settings, databaseUrl: 'postgres://127.0.0.1:1/x' } }),
  ],
];

/** Starts as the command does, and stops again. */
async function start({ settings, env = {} }: SetUp): Promise<void> {
  const roles = readRoles(env['PAYDROP_ROLES']);
  const app = await openApp(settings, { log: silentLog(), env });
  try {
    const workers = await startWorkers(app, roles);
    await workers.stop();
  } finally {
    await app.close();
  }
}

/** @returns whether the start went well, and what the command found worst */
async function tryBoth(setUp: SetUp) {
  const refusal = await start(setUp).then(
    () => 'started',
    () => 'refused',
  );
  const examined = await examine({ env: {}, ...setUp, clock: world.app.clock });
  const findings = examined.map((check) => ({
    ...check,
    findings: check.findings.filter((finding) => !isOfTests(finding)),
  }));
  return [refusal, worstOf(findings)];
}

describe('examine', () => {
  it('finds nothing bad where the start succeeds', async () => {
    const [started, worst] = await tryBoth({ settings: world.settings });
    expect([started, worst === 'bad']).toEqual(['started', false]);
  });

  it.each(BROKEN)('fails, as the start does, for %s', async (_, breakIt) => {
    expect(await tryBoth(await breakIt(world.settings, world.root))).toEqual(['refused', 'bad']);
  });
});
