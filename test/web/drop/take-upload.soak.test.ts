import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { BodyRefusal, takeUpload } from '../../../src/web/drop/take-upload.ts';
import { CARD, cardRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { readUpload } from '../../../src/ledger/file/note-upload.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(() => openPipelineWorld({ folder: { complete: { by: 'marker', suffix: '.ctl' } } }));
let path: string;
beforeAll(async () => {
  path = join(world.root, 'drop', 'card');
});
afterEach(async () => {
  await rm(path, { recursive: true, force: true });
  await mkdir(path);
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const mayStill = async () => {};

function take(name: string, text: string, change: { sha256?: string; source?: AsyncIterable<Uint8Array> } = {}) {
  const file = { name, sha256: sha256Of(text), source: bytesOf(text), actor: 'operator:ada', mayStill, ...change };
  return takeUpload(world.app, world.app.folder('drop/card')!, file);
}

const countUploads = async () => (await world.app.ledger.pool.query('SELECT 1 FROM upload')).rowCount;

describe('takeUpload', () => {
  it('announces the file as its folder asks, and who made it is known when it is taken', async () => {
    const text = lines([cardRow(1)]);
    const taken = await take('june.csv', text);
    expect(taken).toEqual({ is: 'dropped', uploadNo: expect.any(Number) });
    expect((await readdir(path)).toSorted()).toEqual(['june.csv', 'june.csv.ctl']);
    expect(await readFile(join(path, 'june.csv.ctl'), 'utf8')).toBe(`sha256=${sha256Of(text)}\n`);
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv': 'completed' });
    const uploadNo = 'uploadNo' in taken ? taken.uploadNo : 0;
    expect(await readUpload(world.app.ledger, uploadNo)).toMatchObject({ actor: 'operator:ada', state: 'completed' });
    expect(await readdir(path)).toEqual([]);
  });

  it('masks numbers in the name where it is kept, and nowhere else', async () => {
    const taken = await take('june-20260615123045.csv', 'x');
    expect(await readdir(path)).toContain('june-20260615123045.csv');
    const { name } = (await readUpload(world.app.ledger, 'uploadNo' in taken ? taken.uploadNo : 0))!;
    expect(name).toBe('june-**********3045.csv');
  });

  it('ties the file to who dropped it under its name, of two with the same bytes', async () => {
    const text = lines([cardRow(20)]);
    await take('first.csv', text);
    const other = {
      name: 'second.csv',
      sha256: sha256Of(text),
      source: bytesOf(text),
      actor: 'operator:bob',
      mayStill,
    };
    await takeUpload(world.app, world.app.folder('drop/card')!, other);
    await world.finish();
    const { rows } = await world.app.ledger.pool.query(
      `SELECT u.actor, f.name FROM upload u JOIN file f USING (file_id) WHERE f.sha256 = $1 ORDER BY f.name`,
      [sha256Of(text)],
    );
    expect(rows).toEqual([
      { actor: 'operator:ada', name: 'first.csv' },
      { actor: 'operator:bob', name: 'second.csv' },
    ]);
  });

  it('leaves nothing when other bytes come, when they break off, and when the name goes meanwhile', async () => {
    const before = await countUploads();
    expect(await take('a.csv', 'x', { sha256: sha256Of('y') })).toEqual({ is: 'other-bytes' });
    async function* stalled(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
      throw new BodyRefusal('STALLED', 'no more');
    }
    await expect(take('a.csv', 'x', { source: stalled() })).rejects.toThrow('no more');
    expect(await readdir(path)).toEqual([]);
    async function* overtaken(): AsyncGenerator<Uint8Array> {
      await writeFile(join(path, 'a.csv'), 'theirs');
      yield Buffer.from('x');
    }
    expect(await take('a.csv', 'x', { source: overtaken() })).toEqual({ is: 'name-taken', free: 'a-2.csv' });
    expect(await readdir(path)).toEqual(['a.csv']);
    expect(await readFile(join(path, 'a.csv'), 'utf8')).toBe('theirs');
    expect(await countUploads()).toBe(before);
  });

  it('names the first name that is free, with everything that goes with it', async () => {
    for (const name of ['a.b.csv', 'a.b-2.csv', 'a.b-3.csv.ctl', 'plain']) await writeFile(join(path, name), '');
    expect(await take('a.b.csv', 'x')).toEqual({ is: 'name-taken', free: 'a.b-4.csv' });
    expect(await take('plain', 'x')).toEqual({ is: 'name-taken', free: 'plain-2' });
  });

  it('says what is wrong with the folder without a number of the name', async () => {
    await rm(path, { recursive: true });
    const failed = take(`${CARD}.csv`, 'x');
    await expect(failed).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.stringContaining('2220.csv'),
    });
    await expect(failed).rejects.not.toThrow(CARD);
    await mkdir(path);
    await chmod(path, 0o700);
  });
});
