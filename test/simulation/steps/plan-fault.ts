import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { FAULT_KINDS, type FaultName } from '../../../src/sandbox/faults/fault-kinds.ts';
import type { FaultPlan } from '../../../src/sandbox/faults/plan-faults.ts';
import type { World } from '../world.ts';
import { pickFrom } from './pick-from.ts';
import { tell } from './step.ts';

/** Lets the service or the network fail at one of the next calls. */
export async function planFault(world: World): Promise<void> {
  const kind = nextKind(world);
  const plan = await describePlan(world, kind);
  world.sandbox.faults.plan(plan);
  const when = plan.after ? ` after ${plan.after} calls` : '';
  const often = plan.times === 'always' ? ' until it is fixed' : '';
  tell(world, `the service is going to fail: ${kind}${when}${often}`);
  world.totals.count('faults planned', kind);
}

/** Returns the service to normal and forgets the planned faults. */
export async function mendService(world: World): Promise<void> {
  countStruck(world);
  await world.sandbox.faults.clear();
  tell(world, 'the service works again');
}

/** Counts the faults that have struck; called before they are forgotten. */
export function countStruck(world: World): void {
  for (const { kind, fired } of world.sandbox.faults.list())
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
