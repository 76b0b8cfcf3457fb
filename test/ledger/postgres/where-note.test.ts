import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from './support/world.ts';
import { leaveNote, readNote } from '../../../src/ledger/postgres/find-cluster.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await mkdir(world.dataDir);
});
afterEach(() => world.close());

describe('leaveNote', () => {
  it('says where the data are and why; readNote reads it back', async () => {
    await leaveNote(world.dataDir, '/elsewhere/1', { name: 'postgres', uid: 1, gid: 1 });
    expect(await readNote(world.dataDir)).toBe('/elsewhere/1');
    const text = await readFile(join(world.dataDir, 'WHERE.txt'), 'utf8');
    expect(text).toContain('runs as user "postgres"');
    expect(text).toContain(world.dataDir);
  });

  it('keeps the note that is there', async () => {
    await leaveNote(world.dataDir, '/elsewhere/1', undefined);
    await leaveNote(world.dataDir, '/elsewhere/2', undefined);
    expect(await readNote(world.dataDir)).toBe('/elsewhere/1');
  });
});

describe('readNote', () => {
  it('tells no note from an empty one', async () => {
    expect(await readNote(world.dataDir)).toBeUndefined();
    await writeFile(join(world.dataDir, 'WHERE.txt'), '');
    expect(await readNote(world.dataDir)).toBe('');
  });
});
