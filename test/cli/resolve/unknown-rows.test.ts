import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CARD, cardRow, lines } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { dayReport } from '../../workers/support/resolve-context.ts';
import { openCliWorld } from '../support/cli-world.ts';

/**
 * A payment whose result is TIMEOUT, from the list that names it to the report that decides it, as a person types it.
 * The tests build on each other.
 */
const world = openedForTests(() => openCliWorld({ account: { recheck: { afterMs: [] } } }));

beforeAll(async () => {
  world.sandbox.faults.plan({ kind: 'result-late-change', operation: 'getBatchProcessResultFile' });
  await world.drop('card', 'june.csv', lines([cardRow(1), cardRow(2)]));
  await world.finish();
});

async function reportOf(line: number): Promise<string> {
  const path = join(world.root, 'report.csv');
  const cells = cardRow(line).split(',');
  const row = {
    at: new Date(),
    invoice: cells[1]!,
    total: cells[8]!,
    kind: 'VISA',
    number: `************${CARD.slice(-4)}`,
  };
  await writeFile(path, dayReport([{ ...row, customerCode: '' }]));
  return path;
}

describe('a payment whose outcome the service did not say', () => {
  it('is listed, asks for attention and says what to do: 4', async () => {
    const list = await world.says('unknown', 'list');
    expect(list).toMatch(/^1 row of 1 finished batch is undecided/);
    expect(list).toContain('“TIMEOUT”');
    expect(list).not.toContain('--not-received');
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(4);
    expect(out).toMatch(/^Undecided rows$/m);
    expect(await world.says('why', 'june.csv')).toContain('undecided rows (it is not known whether');
    const why = await world.says('why', 'june.csv:2');
    expect(why).toContain('“TIMEOUT” does not say whether it was charged');
    expect(why).not.toMatch(/a person closed|There is nothing to do/);
  });

  it('is resolved by its line: shown, planned, and decided by a report', async () => {
    const shown = await world.paydrop('resolve', 'june.csv:2');
    expect(shown.status).toBe(4);
    expect(shown.out).toContain('--report report.csv');
    const report = await reportOf(2);
    const plan = await world.paydrop('resolve', 'june.csv:2', '--report', report, '--plan');
    expect(plan).toMatchObject({ status: 0, err: '' });
    expect(plan.out).toContain('1 unknown row gets the outcome of the reports');
    const done = await world.paydrop('resolve', 'june.csv:2', '--report', report);
    expect(done).toMatchObject({ status: 0, err: '' });
    expect(await world.says('unknown', 'list')).toBe('No batch is in doubt, and no row is undecided.\n');
    expect(await world.says('status', '--check')).not.toContain('Undecided rows');
    expect(await world.says('why', 'june.csv:2')).toMatch(/Now approved: .*known from a transaction report/);
  });

  it('is delivered as a correction', async () => {
    await world.finish();
    expect(await world.says('show', 'june.csv')).toContain('june.csv');
    expect(await world.says('why', 'june.csv')).toContain('result.c01.csv');
  });

  it.each([
    ['june.csv:2', 'its state is reconciled; only a batch in doubt or with unknown rows'],
    ['june.csv:99', 'no batch holds this line'],
  ])('is not asked for at %s once it is known', async (words, reason) => {
    const { status, err } = await world.paydrop('resolve', words);
    expect(status).not.toBe(0);
    expect(err).toContain(reason);
  });
});
