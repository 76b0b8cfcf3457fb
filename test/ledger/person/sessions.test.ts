import { beforeAll, describe, expect, it } from 'vitest';
import { invitePerson } from '../../../src/ledger/person/invite-person.ts';
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

const world = openedForTests(openTestLedger);

describe('sessions', () => {
  const MINUTE = 60_000;

  const LIMITS = { idleMs: 15 * MINUTE, longestMs: 60 * MINUTE };

  beforeAll(async () => {
    const link = { tokenHash: hashSecretToken('x'), expiresAt: world.clock.now() };
    await invitePerson(world.ledger, { name: 'bob', role: 'operator' }, link, {
      actor: 'operator:ann',
      reason: 'to see',
    });
  });

  const begin = (word: string) =>
    beginSession(world.ledger, { person: 'bob', tokenHash: hashSecretToken(word), csrf: 'c', by: 'password' });

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
      const { rowCount } = await world.ledger.pool.query('SELECT 1 FROM desk_session WHERE token_hash = $1', [
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
      await world.ledger.pool.query('DELETE FROM desk_session');
      await begin('over');
      world.clock.advance(14 * MINUTE);
      const from = { address: '10.0.0.9', browser: 'Firefox on Windows' };
      const session = { person: 'bob', tokenHash: hashSecretToken('here'), csrf: 'c', by: 'openid', ...from };
      await beginSession(world.ledger, session);
      world.clock.advance(MINUTE);
      await begin('there');
      const asked = { person: 'bob', asking: hashSecretToken('here') };
      const listed = await listSessions(world.ledger, asked, LIMITS);
      const beganAt = new Date(world.clock.now().getTime() - MINUTE);
      const here = { sessionNo: expect.any(Number), isThis: true, by: 'openid', ...from, beganAt, seenAt: beganAt };
      expect(listed).toEqual([here, expect.objectContaining({ isThis: false, by: 'password', address: null })]);
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
      const { rows } = await world.ledger.pool.query('SELECT token_hash FROM desk_session');
      expect(rows).toEqual([{ token_hash: hashSecretToken('fresh') }]);
    });
  });
});
