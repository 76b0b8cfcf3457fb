import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { dueNames } from '../../src/ledger/batch/due-work.ts';
import { type Back, takeDue } from '../../src/ledger/stage/taken.ts';
import { endWait, putTaken, takenOf } from './support/stage-steps.ts';
import { eachAlone, runOnce, type Stage, type StageRunner, startStage, WorkingGroups } from '../../workers/stage.ts';
import { stepWorld } from './support/step-world.ts';
import { rungBy } from './support/story.ts';

const world = stepWorld({ accounts: 1 });
let stopping = new AbortController();
const runners: StageRunner[] = [];
afterEach(async () => {
  stopping.abort();
  // What one has in hand would be missing in the next test.
  for (const runner of runners.splice(0)) await runner.stop(1_000);
  stopping = new AbortController();
  await world.query('DELETE FROM taken');
});

type Toy = { readonly name: string };

/** A stage of toys: what is due is a list, and what was done is another. */
function toyStage(
  due: string[],
  parts: Partial<Stage<Toy>> & { make?: (name: string) => Promise<'later' | void> } = {},
) {
  const done: string[] = [];
  const { make, ...rest } = parts;
  const stage: Stage<Toy> = {
    name: 'intake',
    most: { things: 3, weight: 100 },
    findDue: () => dueNames(due),
    thingOf: (name) => ({ name }),
    itemOf: ({ name }) => ({ work: 'intake', subject: name }),
    work: eachAlone(async (_app, { name }) => {
      const result = await make?.(name);
      if (result === 'later') return result;
      done.push(name);
      due.splice(due.indexOf(name), 1);
      return undefined;
    }),
    ...rest,
  };
  return { stage, done, due };
}

const subjects = async () =>
  (await world.query<{ subject: string }>('SELECT subject FROM taken ORDER BY 1')).map((row) => row.subject);

describe('a stage', () => {
  it('takes what waits now as one group, however much it is, and gives it back', async () => {
    const groups: number[] = [];
    const { stage, done } = toyStage(['a', 'b', 'c', 'd'], {
      tell: async (_app, things) => void groups.push(things.length),
    });
    expect(await runOnce(world.app, stage)).toBe(3);
    expect(await runOnce(world.app, stage)).toBe(1);
    expect(await runOnce(world.app, stage)).toBe(0);
    expect({ done, groups }).toEqual({ done: ['a', 'b', 'c', 'd'], groups: [3, 1] });
    expect(await subjects()).toEqual([]);
  });

  it('works on nothing that another process has', async () => {
    await world.query(`INSERT INTO taken (stage, subject, worker) VALUES ('intake', 'b', 'another')`);
    const { stage, done } = toyStage(['a', 'b', 'c']);
    await runOnce(world.app, stage);
    expect(done).toEqual(['a', 'c']);
    expect(await subjects()).toEqual(['b']);
  });

  it('has no longer what another process took while this one was frozen', async () => {
    const { stage, due } = toyStage(['a']);
    const back = { ended: [], later: [] };
    const take = (given: Back) =>
      takeDue(world.app.ledger, 'intake', dueNames(due), { limit: stage.most, back: given, laterMs: 1_000 });
    expect((await take(back)).subjects).toEqual(['a']);
    expect((await take({ ...back, ended: ['a'] })).subjects).toEqual(['a']);
    await putTaken(world.app, { stage: 'intake' }, 'a');
    expect((await take({ ...back, ended: ['a'] })).subjects).toEqual([]);
    expect(await takenOf(world.app, 'intake')).toEqual([{ subject: 'a', isWorkedOn: true }]);
  });

  it('leaves a thing alone for a while that fails or cannot be begun, and goes on with the others', async () => {
    const { stage, done } = toyStage(['a', 'b', 'c', 'd'], {
      most: { things: 4, weight: 100 },
      make: async (name) => {
        if (name === 'b') throw new Error('b is broken');
        return name === 'c' ? 'later' : undefined;
      },
    });
    await runOnce(world.app, stage);
    expect(done).toEqual(['a', 'd']);
    expect(await subjects()).toEqual(['b', 'c']);
    expect(await runOnce(world.app, stage)).toBe(0);
    await endWait(world.app, 'intake', 'b', 'c');
    const again = toyStage(['b', 'c']);
    expect(await runOnce(world.app, again.stage)).toBe(2);
    expect(await subjects()).toEqual([]);
  });

  it('works one by one on a group that fails as a whole, but not on what has ended in it', async () => {
    const { stage, done } = toyStage(['a', 'b', 'c']);
    const together: Stage<Toy>['work'] = async (app, things, hand) => {
      if (things.length === 1) return stage.work(app, things, hand);
      await hand.end(things.slice(0, 1));
      throw new Error('not together');
    };
    const heard: string[] = [];
    const tell: Stage<Toy>['tell'] = async (_app, things) => void heard.push(...things.map(({ name }) => name));
    expect(await runOnce(world.app, { ...stage, work: together, tell })).toBe(3);
    expect({ done, heard }).toEqual({ done: ['b', 'c'], heard: ['a', 'b', 'c'] });
    expect(await subjects()).toEqual([]);
  });

  it('leaves alone a thing that fails in its group and again alone', async () => {
    const { stage } = toyStage(['a', 'b'], {
      make: async (name) => {
        if (name === 'a') throw new Error('a is broken');
      },
    });
    const together: Stage<Toy>['work'] = (app, things, hand) =>
      things.length > 1 ? Promise.reject(new Error('not together')) : stage.work(app, things, hand);
    await runOnce(world.app, { ...stage, work: together });
    expect(await subjects()).toEqual(['a']);
  });

  it('tells of what ended, and of nothing else', async () => {
    const heard: string[] = [];
    const { stage } = toyStage(['a', 'b'], {
      make: async (name) => (name === 'a' ? 'later' : undefined),
      tell: async (_app, things) => void heard.push(...things.map(({ name }) => name)),
    });
    await runOnce(world.app, stage);
    expect(heard).toEqual(['b']);
  });
});

/** Counts groups and rests. */
class WatchedGroups extends WorkingGroups {
  rests = 0;
  atWork = 0;
  override begin(): void {
    this.atWork += 1;
  }
  override end(): void {
    this.atWork -= 1;
  }
  override async rest(): Promise<void> {
    this.rests += 1;
  }
}

describe('a rest', () => {
  const never = new AbortController().signal;
  const A_DAY = 86_400_000;

  it('ends when no stage of the process works any more', async () => {
    const groups = new WorkingGroups();
    groups.begin();
    groups.begin();
    let isOver = false;
    const resting = groups.rest(A_DAY, never).then(() => (isOver = true));
    groups.end();
    await sleep(20);
    expect(isOver).toBe(false);
    groups.end();
    await resting;
  });

  it('is none where no stage works, and ends by itself or with the process where one does', async () => {
    const groups = new WorkingGroups();
    await groups.rest(A_DAY, never);
    groups.begin();
    await groups.rest(5, never);
    await groups.rest(A_DAY, AbortSignal.abort());
    await groups.rest(-1, never);
  });
});

describe('a running stage', () => {
  const run = (stage: Stage<Toy>, hands = 1, groups = new WorkingGroups()) => {
    const runner = startStage(world.app, stage, { hands, stopping: stopping.signal, groups });
    runners.push(runner);
    return runner;
  };

  it('goes on until nothing is left, after one ring', async () => {
    const { stage, done } = toyStage(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    await run(stage).wake();
    await expect.poll(() => done.length).toBe(7);
  });

  it('counts as at work while a group lasts, and asks for its rest before the next', async () => {
    const groups = new WatchedGroups();
    let open = () => {};
    const door = new Promise<void>((resolve) => (open = resolve));
    const { stage, done } = toyStage(['a'], { make: () => door });
    const runner = run(stage, 1, groups);
    await runner.wake();
    expect([groups.atWork, groups.rests]).toEqual([1, 1]);
    open();
    await expect.poll(() => [done, groups.atWork]).toEqual([['a'], 0]);
    await runner.wake();
    expect(groups.rests).toBeGreaterThan(1);
  });

  it('hears a ring that comes while it looks', async () => {
    const { stage, done, due } = toyStage([]);
    const runner = run(stage);
    const looking = runner.wake();
    due.push('late');
    await runner.wake();
    await looking;
    await expect.poll(() => done).toEqual(['late']);
  });

  it('has as many groups in hand as it may, and passes the ring on', async () => {
    const doors: (() => void)[] = [];
    const { stage, done } = toyStage(['a', 'b', 'c'], {
      most: { things: 1, weight: 1 },
      make: () => new Promise<void>((resolve) => doors.push(resolve)),
    });
    const rung = await rungBy(async () => {
      await run(stage, 2).wake();
      await expect.poll(() => doors.length).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect(doors.length).toBe(2);
    });
    expect(rung).toEqual(['intake']);
    doors[0]!();
    await expect.poll(() => doors.length).toBe(3);
    for (const open of doors) open();
    await expect.poll(() => [...done].sort()).toEqual(['a', 'b', 'c']);
  });

  it('takes together what becomes due while it rests, because another stage works', async () => {
    const others = new WorkingGroups();
    others.begin();
    const groups: string[][] = [];
    const { stage, done, due } = toyStage(['long'], {
      make: async (name) => void (name === 'long' && (await sleep(150))),
      tell: async (_app, things) => {
        groups.push(things.map(({ name }) => name));
        if (groups.length === 1) due.push('at once');
        if (groups.length === 2) {
          due.push('together');
          setTimeout(() => due.push('with it'), 20);
        }
        void runner.wake();
      },
    });
    const runner = run(stage, 1, others);
    void runner.wake();
    await expect.poll(() => done.length).toBe(4);
    expect(groups).toEqual([['long'], ['at once'], ['together', 'with it']]);
  });

  it('looks again when the next thing is due by itself', async () => {
    const { stage, done, due } = toyStage([]);
    const soon = new Date(world.app.clock.now().getTime() + 100);
    const findDue = () => ({ due: 'names', asked: { names: due, opens: due.length === 0 ? [soon] : [] } }) as const;
    await run({ ...stage, findDue }).wake();
    due.push('by itself');
    await expect.poll(() => done).toEqual(['by itself']);
  });

  it('leaves a thing alone that is due again and again right after it has ended', async () => {
    let times = 0;
    const { stage } = toyStage(['a'], {
      work: eachAlone(async () => void (times += 1)),
    });
    await run(stage).wake();
    await expect.poll(() => takenOf(world.app, 'intake')).toEqual([{ subject: 'a', isWorkedOn: false }]);
    expect(times).toBeLessThan(60);
  });

  it('gives back what ended early, though the others of its group keep the only hand busy', async () => {
    let finish = () => {};
    const { stage } = toyStage(['a', 'b']);
    const slow: Stage<Toy> = {
      ...stage,
      work: async (app, things, hand) => {
        const notEnded = await stage.work(app, things.slice(0, 1), hand);
        await hand.end(things.slice(0, 1));
        await new Promise<void>((resolve) => (finish = resolve));
        return notEnded;
      },
    };
    await run(slow).wake();
    await expect.poll(subjects).toEqual(['b']);
    finish();
    await expect.poll(subjects).toEqual([]);
  });

  it('looks again for what becomes due by itself while a group is worked on and a hand is free', async () => {
    const doors: (() => void)[] = [];
    const { stage, due } = toyStage(['a'], { make: () => new Promise<void>((resolve) => doors.push(resolve)) });
    await run(stage, 2).wake();
    await expect.poll(() => doors.length).toBe(1);
    due.push('b');
    await expect.poll(() => doors.length).toBe(2);
    for (const open of doors) open();
  });

  it('notes at once what fails, while the others of its group are worked on', async () => {
    let finish = () => {};
    const { stage } = toyStage(['a', 'b'], {
      make: (name) =>
        name === 'a' ? Promise.reject(new Error('a fails')) : new Promise<void>((end) => (finish = end)),
    });
    await run(stage).wake();
    const failed = () => world.logged.filter((line) => line.level === 'error' && line['reason'] === 'a fails').length;
    await expect.poll(failed).toBe(1);
    finish();
    await expect.poll(() => takenOf(world.app, 'intake')).toEqual([{ subject: 'a', isWorkedOn: false }]);
    expect(failed()).toBe(1);
  });

  it('takes nothing new once it stops, and waits for what is under way', async () => {
    let open = () => {};
    const { stage, done } = toyStage(['a', 'b'], {
      most: { things: 1, weight: 1 },
      make: () => new Promise<void>((resolve) => (open = resolve)),
    });
    const runner = run(stage);
    await runner.wake();
    stopping.abort();
    const stopped = runner.stop(5_000);
    open();
    await stopped;
    // Both are due since the same moment; which of them is first is the database's choice.
    expect(done).toHaveLength(1);
  });
});
