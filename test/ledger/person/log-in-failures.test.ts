import { beforeAll, describe, expect, it } from 'vitest';
import { enablePerson, disablePerson } from '../../../src/ledger/person/change-person.ts';
import { inviteAgain, invitePerson, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { forgetFailuresAt, noteFailure, readFailures, waitAfter } from '../../../src/ledger/person/log-in-failures.ts';
import { listPeople } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };
const link = (word: string) => ({
  tokenHash: hashSecretToken(word),
  expiresAt: new Date(world.clock.now().getTime() + 60_000),
});

beforeAll(async () => {
  await invitePerson(world.ledger, { name: 'bob', role: 'viewer' }, link('x'), BECAUSE);
});

const HERE = '10.0.0.9';
const DAY_MS = 86_400_000;

async function fail(name: string, times: number, place = HERE): Promise<void> {
  for (let tries = 0; tries < times; tries += 1)
    await noteFailure(world.ledger, { name, place, from: place, isUser: name === 'bob' });
}

const read = (name: string, place = HERE) => readFailures(world.ledger, { name, place });
const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1_000);

describe('waitAfter', () => {
  it.each([
    [1, 0],
    [4, 0],
    [5, 30],
    [6, 60],
    [9, 480],
    [10, 900],
    [1_000, 900],
  ])('after %i wrong passwords is %i s', (failures, seconds) => {
    expect(waitAfter(failures)).toBe(seconds * 1_000);
  });
});

/** The tests build on each other. */
describe('noteFailure', () => {
  it.each(['bob', 'nobody'])(
    'makes a place wait after the fifth for %s, and the right password begins anew',
    async (name) => {
      await fail(name, 4);
      expect(await read(name)).toEqual({ waitUntil: null, today: 4 });
      await fail(name, 1);
      expect(await read(name)).toEqual({ waitUntil: inSeconds(30), today: 5 });
      await forgetFailuresAt(world.ledger, { name, place: HERE });
      expect(await read(name)).toEqual({ waitUntil: null, today: 0 });
      await fail(name, 1);
      expect(await read(name)).toEqual({ waitUntil: null, today: 1 });
    },
  );

  it('leaves other places of the same name alone, but counts them for it', async () => {
    await fail('bob', 20, '10.0.0.66');
    expect((await read('bob', '10.0.0.66')).waitUntil).toEqual(inSeconds(900));
    expect(await read('bob')).toEqual({ waitUntil: null, today: 21 });
    expect((await listPeople(world.ledger)).map(({ waitingPlaces }) => waitingPlaces)).toEqual([1]);
    world.clock.advance(900_000);
    expect((await listPeople(world.ledger)).map(({ waitingPlaces }) => waitingPlaces)).toEqual([0]);
  });

  it('begins anew a day after the last one, and keeps no older ones', async () => {
    world.clock.advance(DAY_MS);
    expect(await read('bob')).toEqual({ waitUntil: null, today: 0 });
    await fail('bob', 1);
    expect(await read('bob')).toEqual({ waitUntil: null, today: 1 });
    expect((await world.ledger.pool.query('SELECT 1 FROM log_in_failure')).rowCount).toBe(1);
  });

  it('records that there was a try, but not a name that no user has: it may be a password', async () => {
    await fail('hunter2 hunter2', 1);
    const { rows } = await world.ledger.pool.query('SELECT * FROM audit ORDER BY seq DESC LIMIT 1');
    expect(rows).toMatchObject([
      { actor: 'stranger', move: 'log-in-failed', reason: 'unknown name', evidence: { from: HERE, failures: 1 } },
    ]);
    const counted = await world.ledger.pool.query('SELECT f::text AS row FROM log_in_failure f');
    expect(JSON.stringify([rows, counted.rows])).not.toContain('hunter2');
  });
});

describe('a new log-in', () => {
  it('ends all waits for its user: a link that was followed, and one who is let in again', async () => {
    await fail('bob', 9);
    await inviteAgain(world.ledger, 'bob', link('again'), BECAUSE);
    await usePersonLink(world.ledger, hashSecretToken('again'), { password: 'hash' });
    expect(await read('bob')).toEqual({ waitUntil: null, today: 0 });
    await invitePerson(world.ledger, { name: 'ann', role: 'admin' }, link('ann'), BECAUSE);
    await usePersonLink(world.ledger, hashSecretToken('ann'), { password: 'hash' });
    await fail('bob', 9);
    await disablePerson(world.ledger, 'bob', BECAUSE);
    await enablePerson(world.ledger, 'bob', BECAUSE);
    expect(await read('bob')).toEqual({ waitUntil: null, today: 0 });
  });
});
