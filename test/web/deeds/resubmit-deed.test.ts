import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openDeed } from '../support/deed-page.ts';
import { type DeskWorld, openDeskWorld, type TestBrowser } from '../support/desk-world.ts';

let world: DeskWorld;
let operator: TestBrowser;
let path: string;
beforeAll(async () => {
  world = await openDeskWorld();
  operator = await world.as('operator');
  const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'june.csv', lines([cardRow(1), declined, cardRow(3)]));
  await world.finish();
  path = `/files/${(await fileNamed(world, 'june.csv')).file_id}/do/resubmit`;
});
afterAll(() => world.close());

const inFolder = () => readdir(join(world.root, 'drop', 'card'));

describe('resubmit', () => {
  it('shows which rows it would be, and writes nothing', async () => {
    const { status, words } = await openDeed(operator, path);
    expect(status).toBe(200);
    expect(words).toContain('1 row, 2.00 USD go out again as a new file');
    expect(words).toContain('Lines 2');
    expect(await inFolder()).toEqual([]);
  });

  it('refuses a choice without rows, and one that there is not', async () => {
    const none = await openDeed(operator, `${path}?only=not-sent`);
    expect([none.status, none.words]).toEqual([409, expect.stringContaining('it has no such row')]);
    expect((await openDeed(operator, `${path}?only=approved`)).status).toBe(400);
    expect((await openDeed(operator, `${path}?only=drop-again`)).words).toContain('none is missing');
  });

  it('drops them once, as a new file that walks the whole way', async () => {
    const done = await doIt(operator, `${path}?only=declined`, { reason: 'the card is good now' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Resubmitted: 1 row, 2.00 USD.')]);
    const [name = ''] = await inFolder();
    const waiting = await openDeed(operator, path);
    expect([waiting.status, waiting.words]).toEqual([409, expect.stringContaining(`"${name}" with 1 row of it`)]);
    await rm(join(world.root, 'drop', 'card', name));
    const again = await doIt(operator, `${path}?only=drop-again`, { reason: 'somebody removed it' });
    expect(again.words).toContain(`Dropped again: ${name}.`);
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv': 'completed', [name]: 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['C-1', 'C-2', 'C-3', 'C-2']);
    expect((await openDeed(operator, path)).words).toContain('every such row was resubmitted before');
  });
});
