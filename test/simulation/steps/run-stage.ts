import { PipelineError, reasonOf } from '../../../src/kernel/errors.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { MomentKind, Trap } from '../instance/tap.ts';
import type { World } from '../world.ts';
import { isWide } from '../hosts/installation.ts';
import { ELSEWHERE } from '../hosts/elsewhere.ts';
import { type Meanwhile, MEANWHILE } from './meanwhile.ts';
import { shortened, tell } from './step.ts';

export type Stage = 'watch' | 'intake' | 'submit' | 'poll' | 'deliver' | 'sweep' | 'start' | 'recheck';

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
  if (sprung || isExpected(error, expected)) return 'failed';
  world.complaints.push(`${what}: an undisturbed ${stage} failed: ${shortened(reasonOf(error))}`);
  return 'failed';
}

function isExpected(error: unknown, expected: Expected | undefined): boolean {
  return error instanceof PipelineError && (expected?.codes.includes(error.code) ?? false);
}

/** Approximate number of moments of each kind in a stage. */
const MOMENTS: Readonly<Record<Stage, Partial<Record<MomentKind, number>>>> = {
  watch: { statement: 12, file: 24, job: 1 },
  intake: { statement: 34, file: 6, job: 2 },
  submit: { statement: 28, file: 2, call: 4, job: 2 },
  poll: { statement: 20, call: 2, job: 1 },
  deliver: { statement: 50, file: 24 },
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
