import { beforeAll, describe, expect, it } from 'vitest';
import { inviteAgain, invitePerson, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import {
  beginSession,
  endOtherSessions,
  endSession,
  endSessionOf,
  forgetOldSessions,
  listSessions,
  useSession,
} from '../../../src/ledger/person/sessions.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { disablePerson, enablePerson } from '../../../src/ledger/person/change-person.ts';
import {
  countTry,
  forgetFailuresAt,
  LONGEST_WAIT_MS,
  noteFailure,
  readTriesOfDay,
  waitAfter,
} from '../../../src/ledger/person/log-in-failures.ts';
import { listPeople } from '../../../src/ledger/person/people.ts';

const world = openedForTests(openTestLedger);

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };
const link = (word: string) => ({
  tokenHash: hashSecretToken(word),
  expiresAt: new Date(world.clock.now().getTime() + 60_000),
});

beforeAll(async () => {
  await invitePerson(world.ledger, { name: 'bob', role: 'operator' }, link('x'), BECAUSE);
});

describe('sessions', () => {
  const MINUTE = 60_000;

  const FROM = { address: '10.0.0.9', browser: 'Firefox on Windows' };

  const LIMITS = { idleMs: 15 * MINUTE, longestMs: 60 * MINUTE };

  const begin = (word: string) =>
    beginSession(world.ledger, { person: 'bob', tokenHash: hashSecretToken(word), csrf: 'c', by: 'password', ...FROM });

  const use = (word: string, options?: { isPerson: boolean }) =>
    useSession(world.ledger, hashSecretToken(word), LIMITS, options);

  describe('useSession', () => {
    it('knows who it is, by the secret alone', async () => {
      await begin('known');
      expect(await use('known')).toEqual({
        person: 'bob',
        role: 'operator',
        csrf: 'c',
        beganAt: world.clock.now(),
        provedAt: world.clock.now(),
        settings: {},
        by: 'password',
        hasFactor: false,
      });
      expect(await use('unknown')).toBeUndefined();
    });

    it('ends after its idle time, which every click begins anew', async () => {
      await begin('idle');
      for (let clicks = 0; clicks < 3; clicks += 1) {
        world.clock.advance(14 * MINUTE);
        expect(await use('idle')).toBeDefined();
      }
      world.clock.advance(15 * MINUTE);
      expect(await use('idle')).toBeUndefined();
    });

    it('begins anew with a click also when its idle time is a minute', async () => {
      await begin('short');
      const limits = { idleMs: MINUTE, longestMs: 60 * MINUTE };
      for (let clicks = 0; clicks < 5; clicks += 1) {
        world.clock.advance(40_000);
        expect(await useSession(world.ledger, hashSecretToken('short'), limits)).toBeDefined();
      }
    });

    it('is not kept alive by what a page asks by itself', async () => {
      await begin('watching');
      world.clock.advance(14 * MINUTE);
      expect(await use('watching', { isPerson: false })).toBeDefined();
      world.clock.advance(MINUTE);
      expect(await use('watching', { isPerson: false })).toBeUndefined();
    });

    it('ends after its longest time, however often somebody clicks', async () => {
      await begin('long');
      for (let clicks = 0; clicks < 5; clicks += 1) {
        world.clock.advance(11 * MINUTE);
        expect(await use('long')).toBeDefined();
      }
      world.clock.advance(5 * MINUTE);
      expect(await use('long')).toBeUndefined();
    });
  });

  describe('a session from the future', () => {
    it('was begun under a wrong clock, ends with it and is forgotten', async () => {
      world.clock.advance(400 * 1_440 * MINUTE);
      await begin('ahead');
      world.clock.advance(-400 * 1_440 * MINUTE);
      expect(await use('ahead')).toBeUndefined();
      await forgetOldSessions(world.ledger, LIMITS);
      const { rowCount } = await world.ledger.pool.query('SELECT 1 FROM user_session WHERE token_hash = $1', [
        hashSecretToken('ahead'),
      ]);
      expect(rowCount).toBe(0);
    });
  });

  describe('endSession', () => {
    it('ends it at once, and doing so twice is no harm', async () => {
      await begin('out');
      await endSession(world.ledger, hashSecretToken('out'));
      expect(await use('out')).toBeUndefined();
      await endSession(world.ledger, hashSecretToken('out'));
    });
  });

  describe('listSessions', () => {
    it('lists those of the user that work, the one in use first, and none of their secrets', async () => {
      await world.ledger.pool.query('DELETE FROM user_session');
      await begin('over');
      world.clock.advance(14 * MINUTE);
      const from = { address: '10.0.0.10', browser: 'Safari on iOS' };
      const session = { person: 'bob', tokenHash: hashSecretToken('here'), csrf: 'c', by: 'openid', ...from };
      await beginSession(world.ledger, session);
      world.clock.advance(MINUTE);
      await begin('there');
      const asked = { person: 'bob', asking: hashSecretToken('here') };
      const listed = await listSessions(world.ledger, asked, LIMITS);
      const beganAt = new Date(world.clock.now().getTime() - MINUTE);
      const here = { sessionNo: expect.any(Number), isThis: true, by: 'openid', ...from, beganAt, seenAt: beganAt };
      expect(listed).toEqual([here, expect.objectContaining({ isThis: false, by: 'password', ...FROM })]);
      expect(await listSessions(world.ledger, { ...asked, person: 'ann' }, LIMITS)).toEqual([]);
    });
  });

  describe('endSessionOf', () => {
    it('ends one session of this user, and no session of another', async () => {
      await begin('unknown one');
      const [last] = await listSessions(
        world.ledger,
        { person: 'bob', asking: hashSecretToken('unknown one') },
        LIMITS,
      );
      const { sessionNo } = last!;
      const because = { actor: 'operator:eve', reason: 'to see' };
      const strange = endSessionOf(world.ledger, { sessionNo, person: 'eve' }, because);
      await expect(strange).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await use('unknown one')).toBeDefined();
      await endSessionOf(world.ledger, { sessionNo, person: 'bob' }, { ...because, actor: 'operator:bob' });
      expect(await use('unknown one')).toBeUndefined();
    });
  });

  describe('endOtherSessions', () => {
    it('ends all but the one that is kept, or all', async () => {
      for (const word of ['kept', 'other 1', 'other 2']) await begin(word);
      const because = { actor: 'operator:bob', reason: 'to see' };
      await endOtherSessions(world.ledger, 'bob', hashSecretToken('kept'), because);
      expect([await use('kept'), await use('other 1'), await use('other 2')]).toMatchObject([{}, undefined, undefined]);
      await endOtherSessions(world.ledger, 'bob', undefined, because);
      expect(await use('kept')).toBeUndefined();
    });
  });

  describe('forgetOldSessions', () => {
    it('removes those that are over and no others', async () => {
      await begin('old');
      world.clock.advance(16 * MINUTE);
      await begin('fresh');
      await forgetOldSessions(world.ledger, LIMITS);
      const { rows } = await world.ledger.pool.query('SELECT token_hash FROM user_session');
      expect(rows).toEqual([{ token_hash: hashSecretToken('fresh') }]);
    });
  });
});

const HERE = '10.0.0.9';
const DAY_MS = 86_400_000;

async function fail(name: string, times: number, place = HERE): Promise<void> {
  for (let tries = 0; tries < times; tries += 1) {
    world.clock.advance(LONGEST_WAIT_MS);
    const counted = await countTry(world.ledger, { name, place });
    if ('waitUntil' in counted) throw new Error('the place still waits');
    await noteFailure(world.ledger, { name, from: place, isUser: name === 'bob' }, counted);
  }
}

async function read(name: string, place = HERE): Promise<{ waitUntil: Date | null; today: number }> {
  const { rows } = await world.ledger.pool.query<{ waitUntil: Date }>(
    'SELECT wait_until AS "waitUntil" FROM log_in_failure WHERE bucket = name_bucket($1) AND place = $2',
    [name, place],
  );
  return { waitUntil: rows[0]?.waitUntil ?? null, today: await readTriesOfDay(world.ledger, name) };
}
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
