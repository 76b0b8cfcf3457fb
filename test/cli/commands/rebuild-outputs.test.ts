import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
  await world.drop('card', 'june.csv', lines([cardRow(1), cardRow(2)]));
  await world.finish();
});
afterAll(() => world.close());

describe('rebuild-outputs', () => {
  it('says that every output is whole', async () => {
    const { status, out, err } = await world.paydrop('rebuild-outputs', 'june.csv');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/june__.{8}\.result\.csv +same +same/);
    expect(out).toContain('Every output is intact.');
  });

  it('says which one is missing, and brings it back', async () => {
    const names = await readdir(world.settings.paths.out);
    const result = names.find((name) => name.endsWith('.result.csv'))!;
    await rm(join(world.settings.paths.out, result));
    const { status, out } = await world.paydrop('rebuild-outputs', 'june.csv', '--json');
    expect(status).toBe(5);
    expect(JSON.parse(out)).toMatchObject({ name: 'june.csv' });
    expect((JSON.parse(out) as { outputs: object[] }).outputs).toContainEqual({
      kind: 'result',
      name: result,
      onDisk: 'missing',
      rebuilt: 'same',
    });
    const brought = await world.paydrop('rebuild-outputs', 'june.csv', '--out', world.settings.paths.out);
    expect(brought).toMatchObject({ status: 0, err: '' });
    expect((await readdir(world.settings.paths.out)).toSorted()).toEqual(names.toSorted());
  });

  it('wants a file that is known', async () => {
    expect(await world.paydrop('rebuild-outputs', 'nobody.csv')).toMatchObject({ status: 1, out: '' });
  });
});
