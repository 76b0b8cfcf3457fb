import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { forceSql } from '../../support/force-sql.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
  await world.drop('card', 'june.csv', lines([cardRow(1)]));
  await world.finish();
  await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
});
afterAll(() => world.close());

type Link = { seq: number; actor: string; move: string };
const show = async (...words: string[]) =>
  JSON.parse((await world.paydrop('audit', 'show', '--json', ...words)).out) as Link[];

describe('audit show', () => {
  it('lists who did what, the oldest first', async () => {
    const links = await show();
    expect(links.slice(0, 2)).toMatchObject([
      { seq: 1, move: 'open-ledger' },
      { seq: 2, move: 'claim' },
    ]);
    expect(links.at(-1)).toMatchObject({ actor: `operator:${userInfo().username}`, move: 'pause-account' });
    const { out } = await world.paydrop('audit', 'show');
    expect(out).toMatch(/^ +2 +\d{4}-.*Z +worker:watch +.{16} +claim -> claimed/m);
  });

  it('takes only what is wanted', async () => {
    expect((await show('--actor', 'operator:')).map((link) => link.move)).toEqual(['pause-account']);
    expect((await show('--file', 'june.csv')).map((link) => link.move)).not.toContain('pause-account');
    expect(await show('--since', '2099-01-01')).toEqual([]);
    expect((await show('--since', '2020-01-01T00:00:00Z')).length).toBe((await show()).length);
    expect(await show('--limit', '1')).toHaveLength(1);
    expect((await world.paydrop('audit', 'show', '--since', '2099-01-01')).out).toBe('No link fits.\n');
  });

  it.each([
    ['--since', 'yesterday'],
    ['--limit', 'all'],
    ['--file', 'nobody.csv'],
  ])('says what is wrong with %s %s', async (flag, value) => {
    expect(await world.paydrop('audit', 'show', flag, value)).toMatchObject({ status: 1, out: '' });
  });
});

describe('audit verify', () => {
  it('says that the chain is whole, and finds a link that was altered', async () => {
    const whole = await world.paydrop('audit', 'verify');
    expect(whole).toMatchObject({ status: 0, err: '' });
    expect(whole.out).toMatch(/^The audit trail is whole: \d+ links, the last hash is [0-9a-f]{64}\.\n$/);
    await forceSql(world.app, `UPDATE audit SET reason = 'something else' WHERE seq = 2`);
    const broken = await world.paydrop('audit', 'verify', '--json');
    expect(broken.status).toBe(5);
    expect(JSON.parse(broken.out)).toMatchObject({ whole: false, brokenAt: 2 });
    expect((await world.paydrop('audit', 'verify')).out).toContain('broken at link 2');
  });
});
