import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let old = '';
beforeAll(async () => {
  world = await openCliWorld();
  old = world.app.keys.current.id;
  await world.drop('card', 'june.csv', lines([cardRow(1)]));
  await world.finish();
});
afterAll(() => world.close());

type Listed = { keys: { id: string; files: number; others: number; isCurrent: boolean; isHere: boolean }[] };
const list = async () => (JSON.parse((await world.paydrop('key', 'list', '--json')).out) as Listed).keys;

describe('key list', () => {
  it('names the keys and what they wrap, and never a key', async () => {
    expect(await list()).toEqual([{ id: old, files: 1, others: 1, isCurrent: true, isHere: true, retiredAt: null }]);
    const { out, err } = await world.paydrop('key', 'list');
    expect(out).toMatch(new RegExp(`^${old} +current +yes +1 +1$`, 'm'));
    expect(out + err).not.toContain((await readFile(world.settings.paths.masterKey, 'utf8')).trim().slice(0, 12));
  });
});

describe('key rotate', () => {
  it('changes the key under a process that goes on, which opens old files and wraps new ones with it', async () => {
    const { status, out, err } = await world.paydrop('key', 'rotate');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const [, fresh = ''] = /^Master key ([0-9a-f]{8}) is the current one; 2 keys were wrapped anew\.$/m.exec(out) ?? [];
    expect(fresh).not.toBe(old);
    await world.drop('card', 'july.csv', lines([cardRow(2)]));
    await world.finish();
    expect((await list()).find((key) => key.id === fresh)).toMatchObject({ files: 2, others: 1, isCurrent: true });
    expect(await world.paydrop('rebuild-outputs', 'june.csv')).toMatchObject({ status: 0 });
  });
});

describe('key retire', () => {
  it('refuses the current key and one that nobody knows', async () => {
    const current = (await list()).find((key) => key.isCurrent)!;
    expect(await world.paydrop('key', 'retire', current.id)).toMatchObject({ status: 5, out: '' });
    expect(await world.paydrop('key', 'retire', '00000000')).toMatchObject({ status: 1, out: '' });
  });

  it('takes the old key out of its file, and may be repeated', async () => {
    const { status, out } = await world.paydrop('key', 'retire', old);
    expect(status).toBe(0);
    expect(out).toContain('Keep a copy for as long as you may want to restore a backup');
    expect((await readFile(world.settings.paths.masterKey, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(JSON.parse((await world.paydrop('key', 'retire', old, '--json')).out)).toEqual({
      retired: old,
      removedFromFile: false,
    });
    expect(await world.paydrop('rebuild-outputs', 'june.csv')).toMatchObject({ status: 0 });
  });
});
