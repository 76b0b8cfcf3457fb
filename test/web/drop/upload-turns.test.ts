import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTurns } from '../../../src/web/drop/upload-turns.ts';

const MANY = { atOnce: 10, atOnceOfPerson: 10, waiting: 10, waitingOfPerson: 10 };

describe('openTurns', () => {
  it('lets so many work at once, the others in their order, also after one that failed', async () => {
    const turns = openTurns({ ...MANY, atOnce: 2 });
    const events: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const begin = (name: string) =>
      turns(name, () => {
        events.push(name);
        return new Promise<string>((resolve, reject) => {
          ends.set(name, (error) => (error ? reject(error) : resolve(name)));
        });
      });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(begin) as [
      Promise<string>,
      Promise<string>,
      Promise<string>,
      Promise<string>,
    ];
    expect(events).toEqual(['a', 'b']);
    ends.get('b')!(new Error('it broke off'));
    await expect(b).rejects.toThrow('it broke off');
    await expect.poll(() => events).toEqual(['a', 'b', 'c']);
    const late = begin('late');
    ends.get('a')!();
    ends.get('c')!();
    expect(await Promise.all([a, c])).toEqual(['a', 'c']);
    await expect.poll(() => events).toEqual(['a', 'b', 'c', 'd', 'late']);
    ends.get('d')!();
    ends.get('late')!();
    expect(await Promise.all([d, late])).toEqual(['d', 'late']);
    const free = begin('free');
    expect(events.at(-1)).toBe('free');
    ends.get('free')!();
    await free;
  });

  it('lets one user have their share only, and others pass', async () => {
    const turns = openTurns({ ...MANY, atOnce: 3, atOnceOfPerson: 2 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (person: string) =>
      turns(person, () => {
        begun.push(person);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = ['eve', 'eve', 'eve', 'eve', 'bob', 'ann'].map(begin);
    expect(begun).toEqual(['eve', 'eve', 'bob']);
    // A turn that eve gives back goes to her next upload only when nobody before it may begin.
    ends[2]!();
    await expect.poll(() => begun).toEqual(['eve', 'eve', 'bob', 'ann']);
    ends[0]!();
    await expect.poll(() => begun).toEqual(['eve', 'eve', 'bob', 'ann', 'eve']);
    for (let n = 0; n < all.length; n += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(n);
      ends[n]!();
    }
    await Promise.all(all);
  });

  it('refuses what is too much to wait, of one user and of all', async () => {
    const turns = openTurns({ atOnce: 1, atOnceOfPerson: 1, waiting: 3, waitingOfPerson: 2 });
    let end: () => void = () => {};
    const first = turns('eve', () => new Promise<void>((resolve) => (end = resolve)));
    const nothing = async () => {};
    const waiting = ['eve', 'eve', 'bob'].map((person) => turns(person, nothing));
    const busy = { code: 'BUSY', statusCode: 503 };
    await expect(turns('eve', nothing)).rejects.toMatchObject(busy);
    await expect(turns('ann', nothing)).rejects.toMatchObject(busy);
    end();
    await Promise.all([first, ...waiting]);
    await turns('ann', nothing);
  });

  it('never exceeds a limit, runs all that it takes, and leaves no turn behind', async () => {
    const limits = { atOnce: 3, atOnceOfPerson: 2, waiting: 6, waitingOfPerson: 3 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ person: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(4) })),
        async (jobs) => {
          const turns = openTurns(limits);
          const busy: string[] = [];
          let most = 0;
          const work = (person: string, ticks: number) => async () => {
            busy.push(person);
            most = Math.max(most, busy.length);
            expect(busy.filter((one) => one === person).length).toBeLessThanOrEqual(limits.atOnceOfPerson);
            for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
            busy.splice(busy.indexOf(person), 1);
            return 'done';
          };
          const results = await Promise.allSettled(jobs.map(({ person, ticks }) => turns(person, work(person, ticks))));
          expect(most).toBeLessThanOrEqual(limits.atOnce);
          for (const result of results)
            if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'BUSY' });
          expect(await turns('a', work('a', 0))).toBe('done');
        },
      ),
      { numRuns: 100 },
    );
  });
});
