import { PipelineError, reasonOf } from '../../../src/kernel/errors.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import type { Instance } from '../instance/open-instance.ts';
import { type MomentKind, type Trap, withoutTappedFiles } from '../instance/tap.ts';
import { hostNow, type World } from '../world.ts';
import {
  type Host,
  isWide,
  keepCopy,
  MOST_SERVERS,
  moveInstance,
  putBack,
  restartDatabase,
  splitServers,
} from '../hosts/installation.ts';
import { chooseDueWork, chooseRing, runChore, setWrong, shortened, tell } from './step.ts';
import { ACTS, performAct } from './acts.ts';

export type Stage = 'watch' | 'intake' | 'submit' | 'poll' | 'deliver' | 'reprocess' | 'sweep' | 'start' | 'recheck';

/** Errors allowed for an undisturbed stage that is given something that does not exist. */
export type Expected = { readonly codes: readonly string[] };

/**
 * Lets an instance do one thing, and sometimes disturbs it: it dies on the way, a statement, a write or a call fails,
 * or something else happens meanwhile. An instance that dies is removed.
 */
export async function runStage(
  world: World,
  instance: Instance,
  doing: { stage: Stage; what: string; expected?: Expected },
  work: () => Promise<unknown>,
  likelihood = 0.45,
): Promise<'done' | 'failed' | 'dead'> {
  const { stage, what, expected } = doing;
  const trap = world.choose.happens(likelihood) ? chooseTrap(world, stage) : undefined;
  const place = tell(world, `${instance.name} ${what}`);
  if (trap) instance.tap.arm(trap);
  world.busy.add(instance);
  world.stageAt = hostNow(world);
  const error = await work().then(
    () => undefined,
    (thrown: unknown) => thrown ?? new Error('nothing was thrown'),
  );
  world.busy.delete(instance);
  const sprung = instance.tap.disarm();
  if (trap && sprung) {
    place.add(describeTrap(trap, `${sprung.kind} ${trap.at}, ${sprung.what}`));
    countTrap(world, trap, stage);
  }
  if (instance.tap.isDead()) {
    await world.remove(instance);
    return 'dead';
  }
  if (error === undefined) return 'done';
  place.add(`ends with: ${shortened(reasonOf(error))}`);
  if (sprung || isExpected(error, expected) || isOfChange(world, error)) return 'failed';
  world.complaints.push(`${what}: an undisturbed ${stage} failed: ${shortened(reasonOf(error))}`);
  return 'failed';
}

/** A process may meet what another configuration means, or what nobody has answered yet. Nothing may rest like that. */
function isOfChange({ installation }: World, error: unknown): boolean {
  return installation.timesConfigured > 0 && error instanceof PipelineError && error.code === 'MERCHANT_CHANGED';
}

function isExpected(error: unknown, expected: Expected | undefined): boolean {
  return error instanceof PipelineError && (expected?.codes.includes(error.code) ?? false);
}

/** Approximate number of moments of each kind in a stage. */
const MOMENTS: Readonly<Record<Stage, Partial<Record<MomentKind, number>>>> = {
  watch: { statement: 12, file: 24, job: 1 },
  intake: { statement: 34, file: 6, job: 2 },
  submit: { statement: 16, file: 2, call: 4, job: 2 },
  poll: { statement: 20, call: 2, job: 1 },
  deliver: { statement: 50, file: 24 },
  reprocess: { statement: 40, file: 16 },
  sweep: { statement: 12, file: 12, job: 3 },
  start: { statement: 14, file: 10, job: 3 },
  recheck: { statement: 20, call: 2, job: 1 },
};

function chooseTrap(world: World, stage: Stage): Trap {
  const { choose } = world;
  const kinds = Object.entries(MOMENTS[stage]) as [MomentKind, number][];
  // Kinds are equally likely: calls and jobs are few, and matter as much as all the statements.
  const [kind, moments] = choose.one(kinds);
  // Early moments come more often, because a stage does not always reach the last.
  const at = Math.min(choose.between(1, moments), choose.between(1, moments));
  const act = choose.weighted([
    { act: 'die', weight: 5 },
    { act: 'tear', weight: kind === 'file' ? 3 : 0 },
    { act: 'fail', weight: 2 },
    { act: 'fail-after', weight: 2 },
    { act: 'meanwhile', weight: kind === 'job' ? 0 : 3 },
  ] as const).act;
  if (act === 'fail') return { kind, at, act, lasting: choose.happens(0.5) };
  if (act === 'meanwhile') {
    // At other moments a transaction is open, for which a restore of the ledger would have to wait.
    const list = isWide(world) && (kind === 'file' || kind === 'call') && choose.happens(0.6) ? ELSEWHERE : MEANWHILE;
    return { kind, at, act, run: () => haveMeanwhile(world, list) };
  }
  return { kind, at, act };
}

async function haveMeanwhile(world: World, list: readonly Meanwhile[]): Promise<void> {
  const other = world.choose.weighted(list);
  const done = await other.happen(world);
  if (done) world.totals.count('meanwhile', other.name);
}

function describeTrap(trap: Trap, moment: string): string {
  switch (trap.act) {
    case 'die':
      return `DIES before ${moment}`;
    case 'tear':
      return `DIES in the middle of ${moment}`;
    case 'fail':
      return `${trap.lasting ? 'from then on everything' : 'it'} FAILS at ${moment}`;
    case 'fail-after':
      return `an ERROR follows ${moment}, which was done`;
    case 'meanwhile':
      return `that was at ${moment}`;
  }
}

function countTrap(world: World, trap: Trap, stage: Stage): void {
  if (trap.act === 'die' || trap.act === 'tear') world.totals.count('crashes', `${stage} at a ${trap.kind}`);
  else if (trap.act !== 'meanwhile') world.totals.count('disturbances', `${stage}: a ${trap.kind} fails`);
}

/** What may happen to servers and other hosts while an instance is in the middle of a step, such as a call. */
const ELSEWHERE: readonly Meanwhile[] = [
  meanwhile('a copy of the ledger is made', 1, (world) => telling(world, keepCopy)),
  meanwhile('the database is restarted', 1, (world) => telling(world, restartDatabase)),
  meanwhile('the ledger goes back', 3, async (world) => {
    if (world.installation.copies.length === 0) await telling(world, keepCopy);
    await telling(world, putBack);
    return letOthersGoOn(world);
  }),
  meanwhile('another server takes over', 3, async (world) => {
    if (world.installation.servers.length === MOST_SERVERS) return false;
    if (world.installation.copies.length === 0) await telling(world, keepCopy);
    await telling(world, splitServers);
    for (let moves = world.choose.between(0, 3); moves > 0; moves -= 1) await telling(world, moveInstance);
    return letOthersGoOn(world);
  }),
  meanwhile('all but this process reach another server', 3, async (world) => {
    const { installation } = world;
    if (installation.servers.length === MOST_SERVERS) return false;
    if (installation.copies.length === 0) await telling(world, keepCopy);
    await telling(world, splitServers);
    await startBesides(world);
    for (const other of idleOf(world))
      if (other.server() !== installation.present) await other.moveTo(installation.present);
    await letOthersGoOn(world);
    return letOthersGoOn(world);
  }),
  meanwhile('the other hosts go on', 2, letOthersGoOn),
];

async function telling(world: World, act: (world: World) => Promise<string>): Promise<boolean> {
  tell(world, `  meanwhile ${await act(world)}`);
  return true;
}

function idleOf(world: World): Instance[] {
  return world.instances.filter((instance) => !world.busy.has(instance));
}

/** Starts processes until every host has one that is not in the middle of a step. */
async function startBesides(world: World): Promise<void> {
  for (const host of world.installation.hosts) {
    if (host.isAway || idleOf(world).some((instance) => instance.host === host)) continue;
    const instance = await world.open(host);
    await trying(world, `${instance.name} starts`, () => instance.recover());
  }
}

/** Lets idle instances report, and run work that is due. */
async function letOthersGoOn(world: World): Promise<boolean> {
  const others = world.choose.shuffle(idleOf(world));
  for (const other of others) await trying(world, `${other.name} sweeps`, () => sweepAndWake(world, other));
  for (const other of others) {
    const work = await chooseDueWork(world, other);
    if (work) await trying(world, `${other.name} runs ${work.name} for ${work.about}`, () => runChore(other, work));
  }
  return true;
}

/**
 * Something else that may happen while an instance is in the middle of a step. It runs to its end, or until it would
 * have to wait for that step; then the step goes on. `happen` returns whether it happened.
 */
type Meanwhile = {
  readonly name: string;
  readonly weight: number;
  readonly happen: (world: World) => Promise<boolean>;
};

export const MEANWHILE: readonly Meanwhile[] = [
  meanwhile('another instance sweeps', 4, async (world) => {
    const other = await anotherInstance(world);
    return trying(world, `${other.name} sweeps`, () => sweepAndWake(world, other));
  }),
  meanwhile('another instance hears a ring', 4, async (world) => {
    const heard = chooseRing(world);
    if (!heard) return false;
    const other = await anotherInstance(world);
    return trying(world, `${other.name} runs ${heard.name} for ${heard.about}`, () => runChore(other, heard));
  }),
  meanwhile('the clock goes on by an hour', 2, async (world) => {
    world.clock.advance(3_600_000);
    tell(world, '  meanwhile an hour passes');
    return true;
  }),
  meanwhile('another clock is set', 1, async (world) => {
    tell(world, `  meanwhile ${setWrong(world)}`);
    return true;
  }),
  meanwhile('an operator acts', 3, async (world) => {
    const done = await chooseAct(world);
    return done !== undefined;
  }),
  meanwhile('the queue is lost', 1, async (world) => {
    world.queue.dropAll();
    tell(world, '  meanwhile the queue is lost');
    return true;
  }),
];

function meanwhile(name: string, weight: number, happen: Meanwhile['happen']): Meanwhile {
  return { name, weight, happen: (world) => withoutTappedFiles(() => happen(world)) };
}

/** Returns an instance that is not in the middle of a step, and starts one when there is none. */
async function anotherInstance(world: World) {
  const idle = world.instances.find((instance) => !world.busy.has(instance));
  if (idle) return idle;
  const instance = await world.open();
  await trying(world, `${instance.name} starts`, () => instance.recover());
  return instance;
}

async function trying(world: World, what: string, act: () => Promise<unknown>): Promise<boolean> {
  const place = tell(world, `  meanwhile ${what}`);
  await act().catch((error: unknown) => place.add(`ends with: ${shortened(reasonOf(error))}`));
  return true;
}

async function chooseAct(world: World): Promise<string | undefined> {
  for (const act of world.choose.shuffle(ACTS)) {
    const chosen = await act.find(world);
    if (!chosen) continue;
    const place = tell(world, `  meanwhile an operator ${chosen.words}`);
    await performAct(world, act, chosen.perform).then(
      () => undefined,
      (error: unknown) => place.add(`cannot: ${shortened(reasonOf(error))}`),
    );
    return act.name;
  }
  return undefined;
}

/** Sweeps, after which a process wakes its own stages. */
export async function sweepAndWake(world: World, instance: Instance): Promise<void> {
  await instance.run((app) => sweep(app));
  world.queue.ringAll();
}

/** @param host where it starts; by default a host without an instance */
export async function startInstance(world: World, likelihood = 0.25, host?: Host): Promise<void> {
  const instance = await world.open(host);
  const doing = { stage: 'start', what: 'starts' } as const;
  const ended = await runStage(world, instance, doing, () => instance.recover(), likelihood);
  world.queue.ringAll();
  // A process that cannot start ends.
  if (ended === 'failed') await world.remove(instance);
}
