import { seeSchedule } from '../../../src/ledger/schedule/begin-run.ts';
import { readRun } from '../../../src/ledger/schedule/read-runs.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';
import type { LedgerWorld } from '../../support/ledger-world.ts';

export const DAY = '2026-06-15';
export const DUE = { day: DAY, at: new Date('2026-06-15T09:00:00.000Z') };
export const BECAUSE = { actor: 'worker:schedule', reason: 'its time has come' };

let made = 0;

/** Makes a schedule that no other test uses. */
export async function freshSchedule(world: LedgerWorld): Promise<string> {
  made += 1;
  const name = `nightly-${made}`;
  await seeSchedule(world.ledger, name, 'at night', 0);
  return name;
}

export async function runOf(world: LedgerWorld, schedule: string): Promise<RunRow> {
  return (await readRun(world.ledger, schedule, DAY))!;
}

/** Returns a schedule's moves in the audit trail, in order. */
export async function movesOfSchedule(world: Pick<LedgerWorld, 'ledger'>, schedule: string): Promise<string[]> {
  const { rows } = await world.ledger.pool.query<{ move: string }>(
    `SELECT move FROM audit WHERE evidence->>'schedule' = $1 ORDER BY seq`,
    [schedule],
  );
  return rows.map((row) => row.move);
}
