import { describe, expect, it } from 'vitest';
import { weighClocks } from '../../../workers/intake/find-earlier-payments.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-06-15T12:00:00Z');

/** Returns the moment this many days after `NOON`. */
const at = (days: number) => new Date(NOON + days * DAY_MS);

describe('weighClocks', () => {
  it.each([
    ['clocks that follow on the last file', { host: 0.5, database: 0.4, last: 0 }, undefined, [0.4, 0.5]],
    ['the first file of an account', { host: 0, database: 0 }, 0, [0, 0]],
    ['a long pause', { host: 31, database: 31, last: 0 }, 31, [31, 31]],
    ['a host that is ahead', { host: 400, database: 0, last: 0 }, 0, [0, 400]],
    ['host and database that are ahead', { host: 400, database: 400, last: 0 }, 0, [0, 400]],
    ['host and database that are behind', { host: -400, database: -400, last: 0 }, 0, [-400, 0]],
    ['a service that is ahead', { host: 2, database: 2, last: 0 }, 400, [2, 400]],
    ['a service that does not say', { host: 400, database: 400, last: 0 }, undefined, [0, 400]],
  ] as const)(
    'takes the earliest for now and the latest for the file: %s',
    async (_, times, service, [now, agedFrom]) => {
      const { host, database, last } = { last: undefined, ...times };
      const clocks = { databaseNow: at(database), lastFrom: last === undefined ? null : at(last) };
      const weighed = await weighClocks(at(host), clocks, async () =>
        service === undefined ? undefined : at(service),
      );
      expect(weighed).toEqual({ now: at(now), agedFrom: at(agedFrom) });
    },
  );

  it('asks the service only where its time may matter', async () => {
    const ask = () => Promise.reject(new Error('it is not needed'));
    await expect(weighClocks(at(1), { databaseNow: at(0), lastFrom: at(0) }, ask)).resolves.toBeDefined();
    await expect(weighClocks(at(1.1), { databaseNow: at(0), lastFrom: at(0) }, ask)).rejects.toThrow();
  });
});
