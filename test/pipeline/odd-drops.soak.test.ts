import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type QuarantineCode } from '../../schemas/errors.ts';
import { goodRows, leftOver } from '../support/bad-input.ts';
import { CARD, codeRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/** Drops that are no plain files: quarantined as they are and never opened, while the files beside them go through. */

const SECRET_ROWS = lines([codeRow(1, { invoice: 'ODD-1' })]);
let world: PipelineWorld;
let elsewhere: string;
let server: Server;

type Odd = {
  title: string;
  code: QuarantineCode;
  /** Makes it at a path of the drop folder. */
  make: (path: string) => Promise<unknown>;
  /** Checks what must still be true of it in quarantine, or of its target. */
  keeps: (moved: string) => Promise<unknown>;
};

const ODD: readonly Odd[] = [
  {
    title: 'a folder with a file in it',
    code: 'DROP_DIRECTORY',
    make: (path) => mkdir(path).then(() => writeFile(join(path, 'inner.csv'), SECRET_ROWS)),
    keeps: async (moved) => expect(await readFile(join(moved, 'inner.csv'), 'utf8')).toBe(SECRET_ROWS),
  },
  {
    title: 'a link to a file outside',
    code: 'DROP_SYMLINK',
    make: (path) => symlink(join(elsewhere, 'linked.csv'), path),
    keeps: async () => expect(await readFile(join(elsewhere, 'linked.csv'), 'utf8')).toBe(SECRET_ROWS),
  },
  {
    title: 'a link to nothing',
    code: 'DROP_SYMLINK',
    make: (path) => symlink(join(elsewhere, 'nothing.csv'), path),
    keeps: async () => expect(await readdir(elsewhere)).not.toContain('nothing.csv'),
  },
  {
    title: 'a pipe that nobody writes into',
    code: 'DROP_SPECIAL',
    make: async (path) => execFileSync('mkfifo', [path]),
    keeps: async () => undefined,
  },
  {
    title: 'a socket',
    code: 'DROP_SPECIAL',
    make: async (path) => {
      // Made under a short path, because the path of a socket may not be long.
      const short = join(elsewhere, 's');
      await new Promise<void>((resolve) => server.listen(short, resolve));
      await rename(short, path);
    },
    keeps: async () => undefined,
  },
  {
    title: 'a file with a second name outside',
    code: 'DROP_HARD_LINK',
    make: (path) => link(join(elsewhere, 'second-name.csv'), path),
    keeps: async (moved) => expect(await readFile(moved, 'utf8')).toBe(SECRET_ROWS),
  },
  {
    title: `a folder named after a card number`,
    code: 'DROP_DIRECTORY',
    make: (path) => mkdir(path.replace('odd-', `${CARD}-odd-`)),
    keeps: async () => undefined,
  },
];

beforeAll(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), 'paydrop-else-'));
  for (const name of ['linked.csv', 'second-name.csv']) await writeFile(join(elsewhere, name), SECRET_ROWS);
  server = createServer();
  world = await openPipelineWorld();
  const folder = join(world.root, 'drop', 'ach-charge');
  for (const [index, { make }] of ODD.entries()) {
    await make(join(folder, `odd-${index}.csv`));
    await world.drop('ach-charge', `good-${index}.csv`, goodRows(index));
  }
  // A control file that is a link is never followed; its payment file is held.
  await symlink(join(elsewhere, 'linked.csv'), join(folder, 'controlled.csv.ctl'));
  await world.drop('ach-charge', 'controlled.csv', goodRows(90));
  await world.finish();
});

afterAll(async () => {
  await world?.close();
  server?.close();
  await rm(elsewhere, { recursive: true, force: true });
});

/** Returns what lies in quarantine, by the name in its reason. */
async function quarantined() {
  const { quarantine } = world.settings.paths;
  const entries = (await readdir(quarantine)).map(async (id) => {
    const reason = JSON.parse(await readFile(join(quarantine, id, 'reason.json'), 'utf8')) as Record<string, string>;
    return [reason['name']!, { reason, moved: join(quarantine, id, 'drop') }] as const;
  });
  return new Map(await Promise.all(entries));
}

describe('a drop that is no plain file', () => {
  it.each(ODD.map((one, index) => ({ ...one, index })))(
    '$title is moved aside as $code, with what to do',
    async ({ index, code, keeps }) => {
      const found = [...(await quarantined())].filter(([name]) => name.endsWith(`odd-${index}.csv`));
      expect(found).toHaveLength(1);
      const { reason, moved } = found[0]![1];
      expect(reason).toMatchObject({ code, mend: ERRORS[code].remedy, from: 'drop/ach-charge' });
      expect(reason['reason']).not.toBe('');
      await keeps(moved);
    },
  );

  it('is said under its masked name', async () => {
    const text = JSON.stringify([...(await quarantined())].map(([, { reason }]) => reason));
    expect(text).toContain('************2220-odd-6.csv');
    expect(text).not.toContain(CARD);
  });

  it('never stands in the way of the files beside it, and nothing of it is sent', async () => {
    const states = await world.states();
    for (const index of ODD.keys()) expect(states[`good-${index}.csv`]).toBe('completed');
    expect(Object.keys(states).filter((name) => name.includes('odd'))).toEqual([]);
    expect(world.sandbox.books().some((row) => row.invoice === 'ODD-1')).toBe(false);
    expect(await leftOver(world)).toEqual([]);
  });

  it('holds the payment file when it stands in the place of its control file', async () => {
    expect((await world.states())['controlled.csv']).toBe('held');
    expect(Object.values(await world.outputs('held')).join()).toContain('CONTROL_FILE');
    expect(await readFile(join(elsewhere, 'linked.csv'), 'utf8')).toBe(SECRET_ROWS);
  });
});
