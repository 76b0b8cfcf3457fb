import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { networkOf } from '../../../src/web/access/log-in-place.ts';
import { brakeMs } from '../../../src/web/access/log-in.ts';
import { type DashboardWorld, dashboardForTests, PASSWORD } from '../support/dashboard-world.ts';

describe('networkOf', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001::7', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('of "%s" is "%s"', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same for all addresses of a network, however they are written', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
    const write = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':');
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), (network, one, other) => {
        const [left, right] = [one, other].map((host) => networkOf(write([...network, ...host])));
        expect(left).toBe(`${write(network)}::/64`);
        expect(right).toBe(left);
        expect(networkOf(`${write(network)}::1`)).toBe(left);
      }),
      { numRuns: 100 },
    );
  });
});

/** Behind a proxy, so that the tests can come from any address. */
const world = dashboardForTests({ dashboard: { trustedProxies: ['127.0.0.1'] } });

async function statusesFrom(from: string, name: string, times: number): Promise<number[]> {
  const statuses = [];
  for (let tries = 0; tries < times; tries += 1)
    statuses.push((await tryFrom(world, from, name, `wrong ${tries}`)).status);
  return statuses;
}

describe('logIn', () => {
  it('compares five of many passwords that come at once, and does not tell by the lock whether a user has the name', async () => {
    for (const name of ['second', 'no such user']) {
      const tries = Array.from({ length: 25 }, (_, n) => tryFrom(world, `10.0.4.${name.length}`, name, `wrong ${n}`));
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect([name, statuses.toSorted()]).toEqual([name, [...repeat(401, 5), ...repeat(429, 20)]]);
    }
  });

  it('locks only where the wrong passwords came from, so that nobody can keep another person out', async () => {
    expect((await statusesFrom('10.0.0.2', 'approver', 6)).at(-1)).toBe(429);
    expect((await tryFrom(world, '10.0.0.2', 'approver', PASSWORD)).status).toBe(429);
    expect((await tryFrom(world, '10.0.0.3', 'approver', PASSWORD)).status).toBe(303);
    expect((await tryFrom(world, '10.0.0.2', 'operator', PASSWORD)).status).toBe(303);
  });

  it('counts all addresses of one IPv6 network together', async () => {
    for (let host = 1; host <= 5; host += 1) await tryFrom(world, `2001:db8::${host}`, 'admin', 'wrong');
    expect((await tryFrom(world, '2001:db8::99', 'admin', PASSWORD)).status).toBe(429);
    expect((await tryFrom(world, '2001:db8:0:1::99', 'admin', PASSWORD)).status).toBe(303);
  });

  it('lets a user in with a browser that they used before, whatever a colleague does at the same address', async () => {
    const { cookies } = await tryFrom(world, '10.0.0.4', 'other', PASSWORD);
    expect(cookies).toContainEqual(expect.stringMatching(/^paydrop-known-\d+=[\w-]{43}$/));
    // 30 tries of an address are the most for all names together.
    const statuses = await statusesFrom('10.0.0.4', 'other', 31);
    expect([statuses[5], statuses[30]]).toEqual([429, 429]);
    expect((await tryFrom(world, '10.0.0.4', 'second', PASSWORD)).status).toBe(429);
    expect((await tryFrom(world, '10.0.0.4', 'other', PASSWORD, cookies)).status).toBe(303);
  });

  it("does not take a browser of one user for another's", async () => {
    const { cookies } = await tryFrom(world, '10.0.0.5', 'second', PASSWORD);
    for (let tries = 0; tries < 5; tries += 1) await tryFrom(world, '10.0.0.5', 'viewer', 'wrong', cookies);
    expect((await tryFrom(world, '10.0.0.5', 'viewer', PASSWORD)).status).toBe(429);
  });

  it('gives a known browser tries of its own, and no more than another', async () => {
    const { cookies } = await tryFrom(world, '10.0.0.6', 'second', PASSWORD);
    for (let tries = 0; tries < 5; tries += 1) await tryFrom(world, '10.0.0.6', 'second', 'wrong', cookies);
    expect((await tryFrom(world, '10.0.0.6', 'second', PASSWORD, cookies)).status).toBe(429);
    expect((await tryFrom(world, '10.0.0.6', 'second', PASSWORD)).status).toBe(303);
  });

  it('brakeMs begins at fifty', () => {
    expect([0, 49, 50, 5_000].map(brakeMs)).toEqual([0, 0, 2_000, 2_000]);
  });

  it('slows guessing from many addresses, and still lets the user in', async () => {
    const { cookies } = await tryFrom(world, '10.0.1.1', 'operator', PASSWORD);
    await Promise.all(Array.from({ length: 50 }, (_, n) => tryFrom(world, `10.0.2.${n}`, 'operator', 'wrong')));
    const waited = notePauses();
    expect((await tryFrom(world, '10.0.1.1', 'operator', PASSWORD, cookies)).status).toBe(303);
    expect(waited).not.toContain(2_000);
    expect((await tryFrom(world, '10.0.3.1', 'operator', PASSWORD)).status).toBe(303);
    expect(waited).toContain(2_000);
  });
});

/** Until the test ends, awaited pauses last no time. Returns how long each should have lasted, in ms. */
function notePauses(): readonly (number | undefined)[] {
  const noted: (number | undefined)[] = [];
  const pause = timers.setTimeout;
  const use = (other: typeof pause) => {
    timers.setTimeout = other;
    syncBuiltinESMExports();
  };
  use((ms, value, options) => {
    noted.push(ms);
    return pause(0, value, options);
  });
  onTestFinished(() => use(pause));
  return noted;
}

const repeat = (status: number, times: number) => Array.from({ length: times }, () => status);

/** Tries to log in from an address; the dashboard must trust the proxy 127.0.0.1. @returns the status, and the cookies that the browser keeps */
async function tryFrom(
  world: DashboardWorld,
  from: string,
  name: string,
  password: string,
  cookies: readonly string[] = [],
) {
  const { status, headers } = await world.stranger().send('/login', {
    method: 'POST',
    headers: { 'x-forwarded-for': from, cookie: cookies.join('; ') },
    body: new URLSearchParams({ name, password }),
  });
  return { status, cookies: headers.getSetCookie().map((line) => line.split(';')[0]!) };
}
