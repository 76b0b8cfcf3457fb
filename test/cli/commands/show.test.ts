import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, CARD, cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let fileId = '';
beforeAll(async () => {
  world = await openCliWorld();
  await world.drop('card', 'monday.csv', lines([cardRow(1)]));
  await world.drop('card', `of ${CARD}.csv`, lines([cardRow(2)]));
  await world.drop('card', 'twice.csv', lines([cardRow(3)]));
  await world.drop('ach-charge', 'twice.csv', lines([achRow(4)]));
  await world.finish();
  fileId = (JSON.parse((await world.paydrop('show', 'monday.csv', '--json')).out) as { file: { file_id: string } }).file
    .file_id;
});
afterAll(() => world.close());

describe('show', () => {
  it('finds a file by name, id and the first letters of the id', async () => {
    const stories = [];
    for (const words of ['monday.csv', fileId, fileId.slice(0, 8)]) stories.push(await world.paydrop('show', words));
    for (const { status, out, err } of stories) expect({ status, out, err }).toEqual({ ...stories[0], err: '' });
    expect(stories[0]).toMatchObject({ status: 0, out: expect.stringMatching(`^monday\\.csv\nfile ${fileId}, `) });
  });

  it('finds a file by a name that was masked, and never prints the number', async () => {
    const { status, out } = await world.paydrop('show', `of ${CARD}.csv`);
    expect(status).toBe(0);
    expect(out).toMatch(/^of \*{12}2220\.csv\n/);
  });

  it.each([
    ['a name that nobody used', 'tuesday.csv', /^Cannot find a file "tuesday\.csv": /],
    ['a name that two files have', 'twice.csv', /^Cannot find one file "twice\.csv": several .*Give the file id/],
    ['letters that are too few', 'abc', /^Cannot find a file "abc"/],
    ['a number', CARD, /^Cannot find a file "\*{12}2220"/],
  ])('%s: status 1 and a sentence', async (_what, words, sentence) => {
    const { status, out, err } = await world.paydrop('show', words);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(sentence);
    expect(err).not.toContain(CARD);
  });

  it('is one JSON value without key and token', async () => {
    const { out } = await world.paydrop('show', fileId, '--json');
    const story = JSON.parse(out) as Record<string, unknown>;
    expect(Object.keys(story)).toEqual(['file', 'batches', 'outcomes', 'open', 'outputs', 'audit', 'held']);
    expect(out).not.toMatch(/wrapped_key|"token"/);
  });
});
