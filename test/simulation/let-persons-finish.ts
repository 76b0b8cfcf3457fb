import { reasonOf } from '../../src/kernel/errors.ts';
import { settle } from './drive-to-rest.ts';
import { ACTS, performAct } from './steps/acts.ts';
import { moveClock } from './steps/move-clock.ts';
import { shortened, tell } from './steps/step.ts';
import type { World } from './world.ts';

/** Acts that bring everything to an end. None of them stops anything, and closing doubt comes last. */
const FINISHING = [
  'resume',
  'approve',
  'decline',
  'retry',
  'withdraw',
  'adopt a batch id',
  'read a report',
  'declare as not received',
  'disown a result',
  'confirm a proposal',
  'close in doubt',
];

/** Acts that only lead back to the start; they are left out of the later rounds. */
const EARLY = ['disown a result', 'retry'];

const ROUNDS = 8;

/**
 * Lets operators act on everything that is listed for them, round by round, while the program works in between.
 * @returns the files that no verb can finish
 */
export async function letPersonsFinish(world: World): Promise<string[]> {
  tell(world, '— persons take up whatever is left —');
  for (let round = 1; round <= ROUNDS; round += 1) {
    const open = await findOpen(world);
    if (open.length === 0) return [];
    // The first rounds try to find out what happened; the later ones close doubt as it is.
    const names = round <= 3 ? FINISHING.slice(0, -1) : FINISHING.filter((name) => !EARLY.includes(name));
    // Unsent batches are cancelled: a service that refuses every batch would otherwise be called for each of them.
    if (round > 5) names.push('cancel a file');
    for (const name of names) await doAll(world, name);
    // A service that may still be processing gets the time that the account allows.
    await moveClock(world, 2 * 3_600_000);
    const unrest = await settle(world);
    if (unrest.length > 0) return unrest;
  }
  return (await findOpen(world)).map((name) => `${name} cannot be brought to an end by any verb`);
}

/** Performs an act up to six times, once for each candidate; a refusal only goes into the story. */
async function doAll(world: World, name: string): Promise<void> {
  const act = ACTS.find((one) => one.name === name);
  if (!act) throw new Error(`nobody knows how to ${name}`);
  for (let times = 0; times < 6; times += 1) {
    const chosen = await act.find(world);
    if (!chosen) return;
    const place = tell(world, `a person ${chosen.words}`);
    await performAct(world, act, chosen.perform).then(
      () => undefined,
      (error: unknown) => place.add(`which is refused: ${shortened(reasonOf(error))}`),
    );
  }
}

async function findOpen(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ name: string }>(
    `SELECT name || ', ' || state AS name FROM file
     WHERE state NOT IN ('rejected', 'completed', 'cancelled', 'partly_cancelled') ORDER BY file_no`,
  );
  return rows.map(({ name }) => name);
}
