import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import { gatewaySettings } from '../../../src/app.ts';
import { ageBy, forceSql } from '../../support/force-sql.ts';
import { codeRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const HOUR_MS = 3_600_000;

/**
 * The service books a row only after two reports have lacked it: the call in doubt is two days old. Before such rows go
 * out again, paydrop queries the service once more.
 */
const world = openedForTests(openCliWorld);
beforeAll(async () => {
  // Less than the bank's two business days on any date. Until then, a report shows the time of the call.
  at(-47);
  await world.drop('ach-charge', 'known.csv', lines([codeRow(59)]));
  await world.finish();
  await ageBy(world.app, 'main', 'attempt', 1);
  at(-46);
  world.sandbox.faults.plan({ kind: 'reset-after-request', operation: 'processACHEFTChargeBatch' });
  await world.drop('ach-charge', 'june.csv', lines([1, 2, 3].map((n) => codeRow(n))));
  await world.finish();
  await ageBy(world.app, 'main', 'attempt', 46);
  // By the database clock the calls happened just now. The service's time of them is the aged one.
  await forceSql(world.app, 'UPDATE attempt SET service_at = started_at');
});

/** Sets the service's clock to this many hours from now. */
function at(hours: number): void {
  world.sandbox.clock.set(new Date(Date.now() + hours * HOUR_MS));
}

/** Books a row as a person would on the service's pages, or as the service itself does late. */
async function book(row: string): Promise<void> {
  const gateway = createGateway(gatewaySettings(world.app.account('main')));
  const body = Buffer.from(`${row}\r\n`);
  await gateway.submitBatch({ operation: 'processACHEFTChargeBatch', body, beforeFirstByte: async () => true });
}

/** Resolves with the service's current report of the last days. */
async function readReport(name: string): Promise<string> {
  const range = { fromDate: new Date(Date.now() - 72 * HOUR_MS), toDate: new Date(Date.now() + HOUR_MS) };
  const answer = await world.app.reports('main').getACHEFTApprovedDateRangeCSV(range);
  const path = join(world.root, name);
  await writeFile(path, answer.kind === 'read' ? answer.report.csv! : '');
  return (await world.paydrop('resolve', 'june.csv/1', '--journal', path)).out;
}

const resubmit = (...words: string[]) =>
  world.paydrop('resubmit', 'june.csv', '--reason', 'both reports lack them', ...words);
const inFolder = () => readdir(join(world.root, 'drop', 'ach-charge'));
const booked = (n: number) => world.sandbox.books().filter(({ invoice }) => invoice === `K-${n}`).length;

describe('a row that the service books only after two reports have lacked it', () => {
  it('counts as not charged at first, like the others of its batch', async () => {
    at(-23);
    await book(codeRow(91));
    at(0);
    expect(await readReport('first.csv')).toContain('missing: 3');
    await ageBy(world.app, 'main', 'journal_report', 25);
    at(-2);
    await book(codeRow(92));
    at(0);
    expect(await readReport('second.csv')).toContain('Every row is certain');
    await world.finish();
    const [result = ''] = Object.values(await world.outputs('result')).filter((text) => text.includes('K-1'));
    expect(result.match(/NOT_CHARGED/g)).toHaveLength(3);
  });

  it('holds the retry file when a person drops it as it is', async () => {
    const [retry = ''] = Object.values(await world.outputs('retry'));
    expect(retry).toContain('by ""paydrop resubmit"", which asks the service once more');
    await world.drop('ach-charge', 'retry.csv', retry);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'retry.csv': 'held' });
    expect((await world.paydrop('show', 'retry.csv')).out).toContain('which reports of the service lacked');
    await world.paydrop('decline', 'retry.csv', '--reason', 'resubmitted instead');
  });

  it('goes nowhere while the service cannot be asked', async () => {
    world.sandbox.faults.plan({ kind: 'http-503', operation: 'getACHEFTApprovedDateRangeCSV' });
    const refused = await resubmit();
    expect(refused).toMatchObject({ status: 5, out: '' });
    expect(refused.err).toContain(
      '3 rows of batch 1 (lines 1, 2, 3) cannot be sent again now, because the service did not give its newest report',
    );
    expect(await inFolder()).toEqual([]);
  });

  it('stays when it was booked meanwhile, and its outcome is corrected; the others are sent again', async () => {
    await book(codeRow(2));
    const plan = await resubmit('--dry-run');
    expect(plan.out).toContain('2 rows, 50.00 USD are sent again in a new file');
    expect(plan.out).toContain('Line 2 is not sent again');
    expect(await inFolder()).toEqual([]);
    const done = await resubmit();
    expect(done.status).toBe(5);
    expect(done.out).toContain('Resubmitted: 2 rows, 50.00 USD.');
    expect(done.out).toContain('Its outcome is corrected from NOT_CHARGED to ACCEPTED_PENDING');
    const [name = ''] = await inFolder();
    expect(await readFile(join(world.root, 'drop', 'ach-charge', name), 'utf8')).not.toContain('K-2');
    await world.finish();
    expect(await world.states()).toMatchObject({ [name]: 'completed' });
    const [correction = ''] = Object.values(await world.outputs('correction'));
    expect(correction).toMatch(/K-2.*ACCEPTED_PENDING.*NOT_CHARGED.*report of the service asked for on/);
  });

  it('is charged once in the end, like the others', async () => {
    expect([1, 2, 3].map(booked)).toEqual([1, 1, 1]);
    expect((await resubmit()).err).toContain('every such row was already resubmitted');
  });
});
