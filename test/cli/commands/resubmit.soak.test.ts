import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../src/ledger/file/search.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let folder: string;
beforeAll(async () => {
  world = await openCliWorld();
  folder = join(world.root, 'drop', 'card');
  const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'june.csv', lines([cardRow(1), declined, cardRow(3)]));
  await world.finish();
});
afterAll(() => world.close());

const resubmit = (...words: string[]) =>
  world.paydrop('resubmit', 'june.csv', '--reason', 'the card is good now', ...words);

describe('resubmit', () => {
  it('wants a reason, a file that is known and a selection that there is', async () => {
    expect(await world.paydrop('resubmit', 'june.csv')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('resubmit', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect((await resubmit('--only', 'approved')).err).toContain('Choose one: declined, retryable, not-sent, format');
    expect(await resubmit('--only', 'not-sent')).toMatchObject({ status: 5, out: '' });
  });

  it('shows on request what it would be, and writes nothing', async () => {
    const { status, out } = await resubmit('--plan', '--json');
    expect(status).toBe(0);
    const { says, facts } = JSON.parse(out);
    expect(says[0]).toContain('1 row, 2.00 USD go out again as a new file');
    expect(facts).toContainEqual({ name: 'Lines', value: '2' });
    expect(await readdir(folder)).toEqual([]);
    expect(await query(world.app, 'SELECT 1 FROM resubmission')).toEqual([]);
  });

  it('drops the rows as a new file, once, which walks the whole way and is linked with the old one', async () => {
    const { status, out, err } = await resubmit();
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^Resubmitted: 1 row, 2\.00 USD\. They lie as june__.{8}-again-1\.csv in drop\/card\.\n$/);
    const [name = ''] = await readdir(folder);
    const waiting = await resubmit();
    expect(waiting.status).toBe(5);
    expect(waiting.err).toContain(`"${name}" with 1 row of it has not been taken from drop/card`);
    expect(await resubmit('--drop-again')).toMatchObject({ status: 5, out: '' });

    await rm(join(folder, name));
    const tried = await resubmit('--drop-again', '--dry-run');
    expect(tried).toMatchObject({ status: 0, err: '' });
    expect(tried.out).toContain(`${name} with 1 row, 2.00 USD is written into drop/card once more`);
    expect(await readdir(folder)).toEqual([]);
    expect(await resubmit('--drop-again')).toEqual({ status: 0, out: `Dropped again: ${name}.\n`, err: '' });
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv': 'completed', [name]: 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['C-1', 'C-2', 'C-3', 'C-2']);

    const done = await resubmit();
    expect(done.status).toBe(5);
    expect(done.err).toContain('every such row was already resubmitted');
    expect(await resubmit('--drop-again')).toMatchObject({ status: 5, out: '' });
    const { file_id: old } = await findFile(world.app.ledger, 'june.csv');
    expect((await world.paydrop('why', name)).out).toContain(`It was made of rows of file ${old}.`);
    expect((await world.paydrop('why', 'june.csv')).out).toContain(
      `resubmitted 1 row as ${name}: the card is good now.`,
    );
  });
});
