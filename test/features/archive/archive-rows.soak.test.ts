import { expect, it } from 'vitest';
import type { CrashPointName } from '../../../src/kernel/crash-point.ts';
import { openCliWorld } from '../../cli/support/cli-world.ts';
import { startChild } from '../../cli/support/run-child.ts';
import { ARMER, buildProgram } from '../../support/build-program.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { FEATURES } from '../../../src/features.ts';

/** Kills the process that archives at each of its points, and continues; then sums of rows and money must be equal. */

const world = openedForTests(() =>
  openCliWorld({
    features: FEATURES,
    account: { recheck: { afterMs: [] } },
    folder: { sameTotals: 'off', unusualFactor: 0 },
  }),
);
const TODAY = new Date().toISOString().slice(0, 10);
const MOVE = ['archive', 'move', '--all', '--before', TODAY, '--reason', 'the year is closed', '--json'];
const FILES = 40;
const ROWS = 5;

type Order = { readonly point: CrashPointName; readonly move?: string; readonly hits: number };
const ORDERS: readonly Order[] = [
  { point: 'seal.draft-written', hits: 1 },
  { point: 'seal.named', hits: 1 },
  { point: 'archive.written', hits: 1 },
  { point: 'archive.verified', hits: 1 },
  { point: 'commit.before', move: 'archive-rows', hits: 1 },
  { point: 'commit.after', move: 'archive-rows', hits: 1 },
  { point: 'archive.slice-deleted', hits: 1 },
  { point: 'archive.slice-deleted', hits: 2 },
];

async function readWhole(): Promise<{ rows: number; cents: number }> {
  const rows = await query<{ name: string; archive_no: number | null; rows: number; cents: number }>(
    world.app,
    `SELECT name, archive_no, count(line)::int AS rows, coalesce(sum(amount_cents), 0)::int AS cents
     FROM file LEFT JOIN payment_row USING (file_no) WHERE name LIKE 'old-%' GROUP BY name, archive_no`,
  );
  const sum = { rows: 0, cents: 0 };
  for (const file of rows) {
    const read = file.archive_no === null ? undefined : await world.paydrop('archive', 'read', file.name, '--json');
    const kept = read && (JSON.parse(read.out) as { amountCents: number }[]);
    sum.rows += kept ? kept.length : file.rows;
    sum.cents += kept ? kept.reduce((total, { amountCents }) => total + amountCents, 0) : file.cents;
  }
  return sum;
}

it('loses no row and no cent when it is killed at any point', { timeout: 300_000 }, async () => {
  for (const n of upTo(FILES)) {
    const rows = upTo(ROWS).map((m) => cardRow(m, { invoice: `${n}-${m}`, amount: `${n}.0${m}` }));
    await world.drop('card', `old-${n}.csv`, lines(rows));
  }
  await world.finish();
  expect(new Set(Object.values(await world.states()))).toEqual(new Set(['completed']));
  // The newest twenty stay. Of the others, two are old enough at a time.
  const age = (upTo_: number) =>
    forceSql(
      world.app,
      `UPDATE file SET claimed_at = now() - d, aged_from = now() - d, state_at = now() - d, known_at = now() - d
       FROM (SELECT file_no AS no, row_number() OVER (ORDER BY file_no) AS place FROM file) placed
         CROSS JOIN LATERAL (SELECT CASE WHEN place <= $1 THEN interval '99 days' ELSE interval '1 day' END AS d) age
       WHERE placed.no = file.file_no`,
      [upTo_],
    );
  const before = await readWhole();
  expect(before.rows).toBe(FILES * ROWS);
  const { main, moduleOf } = await buildProgram();
  for (const [index, order] of ORDERS.entries()) {
    await age(2 * (index + 1));
    const words = ['--import', moduleOf(ARMER), main, '--dir', world.root, ...MOVE];
    const child = startChild(process.execPath, words, { ...world.env, CHAOS_ORDER: JSON.stringify(order) });
    const { signal } = await child.ended;
    expect([order, signal, child.out() + child.err()]).toEqual([order, 'SIGKILL', expect.any(String)]);
    expect([order, await readWhole()]).toEqual([order, before]);
    expect(await world.paydrop(...MOVE)).toMatchObject({ status: 0, err: '' });
    expect([order, await readWhole()]).toEqual([order, before]);
    const left = await query(
      world.app,
      `SELECT (SELECT count(*)::int FROM payment_row JOIN file USING (file_no) WHERE archive_no IS NOT NULL) AS left,
              (SELECT count(*)::int FROM file WHERE archive_no IS NOT NULL) AS archived`,
    );
    expect([order, ...left]).toEqual([order, { left: 0, archived: 2 * (index + 1) }]);
  }
  expect((await world.paydrop('audit', 'verify')).status).toBe(0);
});
