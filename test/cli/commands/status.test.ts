import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { describeObstacles } from '../../../src/cli/show/status.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { forceSql } from '../../support/force-sql.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
});
afterAll(() => world.close());

/** The tests build on each other: each adds worse trouble than the one before. */
describe('status', () => {
  it('is well with an empty ledger', async () => {
    const { status, out, err } = await world.paydrop('status', '--check');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toBe('Files\nnone yet\n\nLast 24 hours\nno outcomes yet\n');
  });

  it('counts files and money, and is well when all is done', async () => {
    await world.drop('card', 'done.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(0);
    expect(out).toMatch(/completed +1 +2 +50\.00/);
    expect(out).toMatch(/main +APPROVED +2 +50\.00/);
    expect(out).not.toContain('On their way');
  });

  it('names a held file and what to do: 3', async () => {
    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    await world.finish();
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(3);
    expect(out).toMatch(/twice\.csv +main +held/);
    expect(out).toContain('paydrop approve FILE --reason');
  });

  it('offers no approval where no row could be sent', async () => {
    const of = (rows: number) => `UPDATE file SET valid_rows = ${rows} WHERE name = 'twice.csv'`;
    await forceSql(world.app, of(0));
    const { out } = await world.paydrop('status');
    await forceSql(world.app, of(2));
    expect(out).toContain('then "paydrop decline FILE --reason …".');
    expect(out).not.toContain('paydrop approve');
  });

  it.each([
    ['unknown', 4, 'Never drop its file again. See "paydrop unknown list".'],
    ['refused', 5, '"paydrop retry BATCH --reason …"'],
    ['exception', 5, 'See "paydrop exceptions BATCH".'],
  ])('puts a batch that is %s before all else: %i', async (state, code, next) => {
    await world.forceState('batch', state);
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(code);
    expect(out).toMatch(/^Needs a person\n/);
    expect(out).toContain('done.csv');
    expect(out).toContain(next);
  });

  it('says the same with 0 when nobody asked for a check', async () => {
    const { status, out } = await world.paydrop('status');
    expect(status).toBe(0);
    expect(out).toContain('Needs a person');
  });

  it('names a stopped account: 5', async () => {
    await world.forceState('batch', 'reconciled');
    await world.app.ledger.pool.query(`INSERT INTO account_stop VALUES ('main', 'the journal knows more', now())`);
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(5);
    expect(out).toMatch(/Stopped accounts\n(.*\n){2}main .*the journal knows more/);
  });

  it('is one JSON value on request', async () => {
    const { status, out, err } = await world.paydrop('status', '--check', '--json');
    expect({ status, err }).toEqual({ status: 5, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      open: [{ name: 'twice.csv', state: 'held' }],
      stopped: [{ account: 'main' }],
      doubt: [],
    });
  });
});

describe('describeObstacles', () => {
  it('tells a cause once with all that is to be done, and what is to be done of each cause', () => {
    const closed = { what: 'Nothing is sent', name: null, why: 'it may have gone back', since: new Date(0) };
    const missing = { what: 'Cannot look', name: 'june.csv', why: 'it is gone', since: null };
    expect(
      describeObstacles([
        { ...closed, next: 'Start host-b.' },
        { ...closed, next: 'Start host-c.' },
        { ...missing, next: 'Start host-c.' },
      ]),
    ).toBe(
      'Nothing is sent since 1970-01-01T00:00:00.000Z: it may have gone back\n  Start host-b.\n  Start host-c.\n' +
        'Cannot look (june.csv): it is gone\n  Start host-c.',
    );
  });
});
