import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let path = '';
beforeAll(async () => {
  world = await openCliWorld();
  path = join(world.root, 'a.backup');
  await world.drop('card', 'june.csv', lines([cardRow(1)]));
  await world.finish();
});
afterAll(() => world.close());

describe('backup', () => {
  it('writes the ledger while another process works with it, and says what to copy besides', async () => {
    const { status, out, err } = await world.paydrop('backup', path);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^\S+a\.backup is whole: the ledger of \d{4}-.*Z, \d+ rows, up to migration \d{4}-.*\.sql\.$/m);
    expect(out).toMatch(/^payment_row +1 /m);
    expect(out).toContain(join(world.root, 'data', 'archive'));
    expect(out).toContain('master.key');
    expect(out).toContain('Never restore');
  });

  it('prints JSON, and does not write over a file', async () => {
    const { out } = await world.paydrop('backup', join(world.root, 'b.backup'), '--json');
    expect(JSON.parse(out)).toMatchObject({ copyToo: { archive: world.settings.paths.archive } });
    expect(await world.paydrop('backup', path)).toMatchObject({ status: 5, out: '' });
  });

  it('holds no number of a payer', async () => {
    const text = (await readFile(path)).toString('latin1');
    expect(text).toContain('june.csv');
    expect(text).not.toContain('4111111111111111');
  });

  it.each([[[]], [['verify']], [['a', 'b']]])('wants one file, and not %j', async (words) => {
    expect(await world.paydrop('backup', ...words)).toMatchObject({ status: 1, out: '' });
  });
});

describe('backup verify', () => {
  it('says that a file is whole, or what is wrong with it', async () => {
    expect(await world.paydrop('backup', 'verify', path)).toMatchObject({ status: 0, err: '' });
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(join(world.root, 'bad.backup'), bytes);
    const bad = await world.paydrop('backup', 'verify', join(world.root, 'bad.backup'));
    expect(bad).toMatchObject({ status: 5, out: '' });
    expect(bad.err).toMatch(/^Cannot use the backup ".*bad\.backup": /);
  });
});
