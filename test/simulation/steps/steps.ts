import { runReprocess } from '../../../src/actions/reprocess/run-reprocess.ts';
import { FILE_STAGES } from '../memory-queue.ts';
import { findOpenRuns } from '../../../src/ledger/reprocess/move-run.ts';
import { reasonOf } from '../../../src/kernel/errors.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { FAULT_KINDS, type FaultName } from '../../../src/sandbox/faults/fault-kinds.ts';
import type { FaultPlan } from '../../../src/sandbox/faults/plan-faults.ts';
import { HOST_STEPS } from '../hosts/host-steps.ts';
import { isWide } from '../hosts/installation.ts';
import type { Instance } from '../instance/open-instance.ts';
import { plannedFaults, type Service, serviceOf } from '../services.ts';
import type { World } from '../world.ts';
import { ACTS, actsInTurn, performAct } from './acts.ts';
import { ACCOUNT_STEPS } from './change-accounts.ts';
import { MERCHANT_STEPS } from './change-merchants.ts';
import { SETTING_STEPS } from './change-settings.ts';
import { FOLDER_STEPS } from './put-folder-back.ts';
import { correctRow } from './correct-row.ts';
import {
  dropAgain,
  dropAltered,
  dropBesideOldMarker,
  dropFile,
  dropOddThing,
  dropOutput,
  dropRewritten,
  isMarked,
  writeOn,
  writeOnRetired,
} from './drop-file.ts';
import { type Expected, runStage, type Stage, startInstance, sweepAndWake } from './run-stage.ts';
import {
  chooseDueWork,
  chooseRing,
  chooseWrongWork,
  type Chore,
  describeTime,
  moveClock,
  pickFrom,
  runChore,
  setWrong,
  shortened,
  type Step,
  tell,
} from './step.ts';

/** Everything that may happen in a world, and how likely it is to be next. */
export const STEPS: readonly Step[] = [
  step(
    'drop a file',
    4,
    (world) => world.drops.length < 6,
    (world) => dropFile(world),
  ),
  step('drop the same again', 1, mayRepeat, (world) => dropAgain(world)),
  step('drop an earlier file altered', 1, mayRepeat, (world) => dropAltered(world)),
  step('drop the same payments, written otherwise', 1, mayRepeat, dropRewritten),
  step('drop an output', 1, mayRepeat, dropOutput),
  step('drop no plain file', 0.3, always, dropOddThing),
  step('write on after the claim', 1, hasWaiting, async (world) => void (await writeOn(world))),
  step('write on after the verdict', 0.5, hasInstance, writeOnRetired),
  step(
    'drop beside an old marker',
    0.7,
    (world) => hasInstance(world) && world.drops.length < 6 && world.settings.folders.some(isMarked),
    (world) => {
      const instance = idle(world);
      const stage = { stage: 'watch', what: 'looks at the folders' } as const;
      return dropBesideOldMarker(
        world,
        async () => void (await runStage(world, instance, stage, () => instance.look())),
      );
    },
  ),
  step('look at the folders', 9, hasInstance, async (world) => {
    const instance = idle(world);
    await runStage(world, instance, { stage: 'watch', what: 'looks at the folders' }, () => instance.look());
  }),
  step('hear rings', 22, hasWaiting, async (world) => {
    for (let rings = world.choose.between(1, 4); rings > 0 && hasInstance(world); rings -= 1)
      await doChore(world, chooseRing(world));
  }),
  step('run one thing that is due', 8, hasInstance, async (world) => {
    const instance = idle(world);
    await doChore(world, await chooseDueWork(world, instance), '', undefined, instance);
  }),
  step('ring for nothing', 1, hasInstance, async (world) => {
    world.queue.ring(world.choose.one(FILE_STAGES));
  }),
  step('run what nobody asked for', 2, hasInstance, async (world) => {
    await doChore(world, await chooseWrongWork(world), 'unasked ', WRONG);
  }),
  step('sweep', 4, hasInstance, async (world) => {
    const instance = idle(world);
    await runStage(world, instance, { stage: 'sweep', what: 'sweeps' }, () => sweepAndWake(world, instance));
  }),
  step('time passes', 9, always, async (world) => {
    const ms = world.choose.one([10_000, 10_000, 30_000, 60_000, 600_000, 3_600_000, 86_400_000, 4 * 86_400_000]);
    tell(world, `${describeTime(ms)} pass`);
    await moveClock(world, ms);
  }),
  step('the clock is set back', 0.7, always, async (world) => {
    const ms = world.choose.one([1_000, 60_000, 3_600_000]);
    tell(world, `our clocks are set back by ${describeTime(ms)}`);
    await moveClock(world, -ms);
  }),
  step('another clock is set', 3, always, async (world) => {
    tell(world, setWrong(world));
  }),
  step('a crash', 1, hasInstance, async (world) => {
    const instance = idle(world);
    tell(world, `${instance.name} is killed`);
    world.totals.count('crashes', 'between two steps');
    await world.remove(instance);
  }),
  step(
    'an instance starts',
    2,
    (world) => world.instances.length < (isWide(world) ? 5 : 2) && hasHost(world),
    (world) => startInstance(world),
  ),
  step(
    'a process manager starts an instance',
    30,
    (world) => world.instances.length === 0 && hasHost(world),
    async (world) => {
      await startInstance(world);
    },
  ),
  step('a ring is lost', 1, hasWaiting, async (world) => {
    const stage = world.choose.one(world.queue.waiting());
    world.queue.drop(stage);
    tell(world, `a ring for ${stage} is lost`);
  }),
  step('the queue is lost', 0.7, always, async (world) => {
    world.queue.dropAll();
    tell(world, 'the queue is lost');
  }),
  step('the service is going to fail', 5, (world) => world.drops.length > 0, planFault),
  step('the service is fixed', 1.5, (world) => plannedFaults(world.services).length > 0, mendService),
  step('a correction between intake and send', 2, (world) => world.drops.length > 0 && !isWide(world), correctRow),
  step('an operator acts', 4, (world) => world.drops.length > 0, letOperatorAct),
  ...ACCOUNT_STEPS,
  ...MERCHANT_STEPS,
  ...SETTING_STEPS,
  ...FOLDER_STEPS,
  ...HOST_STEPS,
];

function step(name: string, weight: number, isPossible: Step['isPossible'], take: Step['take']): Step {
  return { name, weight, isPossible, take };
}

function mayRepeat(world: World): boolean {
  return world.drops.length > 0 && world.drops.length < 8;
}

function always(): boolean {
  return true;
}

function hasInstance(world: World): boolean {
  return world.instances.length > 0;
}

function hasHost({ installation }: World): boolean {
  return installation.hosts.some((host) => !host.isAway);
}

function hasWaiting(world: World): boolean {
  return hasInstance(world) && world.queue.waiting().length > 0;
}

function idle(world: World): Instance {
  return world.choose.one(world.instances);
}

/** Allowed errors of a stage that is given something that does not exist, or no longer does. */
export const WRONG: Expected = { codes: ['NOT_FOUND', 'SEAL_BROKEN', 'ORIGINAL_GONE'] };

async function doChore(
  world: World,
  chore: Chore | undefined,
  how = '',
  expected = world.installation.timesBack > 0 || isWide(world) ? WRONG : undefined,
  instance = idle(world),
): Promise<void> {
  if (!chore) return;
  const { name, about, ring } = chore;
  if (ring) world.queue.take(ring);
  const doing = { stage: name as Stage, what: `${how}runs ${name} for ${about}`, ...(expected && { expected }) };
  await runStage(world, instance, doing, () => runChore(instance, chore));
  // A ring whose instance has died still counts as heard.
  if (ring && !instance.tap.isDead()) world.queue.finish(ring);
}

/** Drops files and lets them settle, so that there is work from the first step on. */
export async function beginDay(world: World): Promise<void> {
  await dropFile(world, world.beginsWithDamage || undefined);
  for (let more = world.choose.below(3); more > 0; more -= 1) await dropFile(world);

  for (const host of world.installation.hosts) await startInstance(world, 0, host);
  const [instance] = world.instances;
  for (let looks = 0; looks < 2; looks += 1) {
    await instance!.look();
    await moveClock(world, 30_000);
  }
  if (!world.beginsWithDamage) await planFault(world);
}

/** Steps in which the work of a run may be done, disturbed and repeated. */
const WORKING = ['look at the folders', 'hear rings', 'run one thing that is due', 'sweep', 'time passes', 'a crash'];

/** Lets a person have sent again what may go again, and the program work on it with every disturbance. */
export async function letPersonReprocess(world: World): Promise<void> {
  for (const name of ['select', 'reprocess']) {
    const act = ACTS.find((one) => one.name === name)!;
    const chosen = await act.find(world);
    if (!chosen) return;
    tell(world, `a person ${chosen.words}`);
    await performAct(world, act, chosen.perform);
  }
  for (let n = world.choose.between(2, 10); n > 0; n -= 1) {
    if (!hasInstance(world)) await startInstance(world);
    if (world.choose.happens(0.4)) await workOnRun(world);
    const possible = STEPS.filter(({ name, isPossible }) => WORKING.includes(name) && isPossible(world));
    await world.choose.weighted(possible).take(world);
  }
}

/** Mostly disturbs it: an undisturbed one leaves nothing to the next worker. */
async function workOnRun(world: World): Promise<void> {
  const [runNo] = await findOpenRuns(world.office, world.settings.site);
  if (runNo === undefined || !hasInstance(world)) return;
  const instance = idle(world);
  const chore: Chore = {
    name: 'reprocess',
    about: `selection ${runNo}`,
    run: async (app) => void (await runReprocess(app, runNo)),
  };
  const doing = { stage: 'reprocess', what: `runs reprocess for ${chore.about}`, expected: WRONG } as const;
  await runStage(world, instance, doing, () => runChore(instance, chore), 0.85);
}

async function letOperatorAct(world: World): Promise<void> {
  for (const act of actsInTurn(world.choose)) {
    const chosen = await act.find(world);
    if (!chosen) continue;
    const place = tell(world, `an operator ${chosen.words}`);
    await performAct(world, act, chosen.perform).then(
      () => undefined,
      (error: unknown) => place.add(`which is refused: ${shortened(reasonOf(error))}`),
    );
    return;
  }
}

/** Lets the service or the network fail at one of the next calls. */
async function planFault(world: World): Promise<void> {
  const kind = nextKind(world);
  const plan = await describePlan(world, kind);
  serviceInUse(world).sandbox.faults.plan(plan);
  const when = plan.after ? ` after ${plan.after} calls` : '';
  const often = plan.times === 'always' ? ' until it is fixed' : '';
  tell(world, `the service is going to fail: ${kind}${when}${often}`);
  world.totals.count('faults planned', kind);
}

/** Returns the service of an account, which is the one that fails. */
function serviceInUse({ services, settings, choose }: World): Service {
  return serviceOf(
    services,
    services.all.length === 1 ? { baseUrl: services.all[0]!.address } : choose.one([...settings.accounts.values()]),
  );
}

/** Returns the service to normal and forgets the planned faults. */
export async function mendService(world: World): Promise<void> {
  countStruck(world);
  for (const { sandbox } of world.services.all) await sandbox.faults.clear();
  tell(world, 'the service works again');
}

/** Counts the faults that have struck; called before they are forgotten. */
export function countStruck(world: World): void {
  for (const { kind, fired } of plannedFaults(world.services))
    if (fired > 0) world.totals.count('faults struck', kind, fired);
}

/** Takes each kind in turn, starting at the seed, so that a hundred scenarios cover most of them. */
function nextKind(world: World): FaultName {
  const kinds = Object.keys(FAULT_KINDS) as FaultName[];
  return kinds[world.nextTurn() % kinds.length]!;
}

async function describePlan(world: World, kind: FaultName): Promise<FaultPlan> {
  const { choose } = world;
  const { strikes } = FAULT_KINDS[kind];
  // Until the service is fixed: a number of milliseconds would depend on the speed of the machine.
  if (strikes === 'planned') return { kind, times: 'always' };
  if (strikes === 'accept' || strikes === 'first-byte') return { kind, after: choose.below(2) };
  // Sometimes often enough that the program gives up on a service that denies a batch.
  if (kind.startsWith('result-')) return { kind, times: choose.one([1, 1, 2, 20]) };
  // Most strike at a submit, which matters more than a query.
  const operation = choose.happens(0.8) ? await findNextSubmit(world) : undefined;
  return operation ? { kind, operation } : { kind, after: choose.below(3) };
}

/** Returns the operation of a batch that waits to be sent, if there is one. */
async function findNextSubmit(world: World): Promise<FaultPlan['operation']> {
  const operation = await pickFrom<FolderOperation>(
    world,
    `SELECT operation AS found FROM batch WHERE state = 'ready' ORDER BY operation, batch_no`,
  );
  return operation && FOLDER_OPERATIONS[operation].operation;
}
