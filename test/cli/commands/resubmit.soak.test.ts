import { chargedOf } from '../../support/bind-for-test.ts';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../src/ledger/file/search.ts';
import { achRow, cardRow, codeRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { claimContent } from '../../workers/support/story.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import { gatewaySettings } from '../../../src/app.ts';
import { ageBy, forceSql } from '../../support/force-sql.ts';
import { intakeFile, submitBatch, takeClaim } from '../../support/work-alone.ts';

describe('resubmit', () => {
  const world = openedForTests(openCliWorld);
  const resubmit = (...words: string[]) =>
    world.paydrop('resubmit', 'june.csv', '--reason', 'the card is good now', ...words);
  let folder: string;
  beforeAll(async () => {
    folder = join(world.root, 'drop', 'card');
    const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
    await world.drop('card', 'june.csv', lines([cardRow(1), declined, cardRow(3)]));
    await world.finish();
  });

  it('wants a reason, a file that is known and a selection that there is', async () => {
    expect(await world.paydrop('resubmit', 'june.csv')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('resubmit', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect((await resubmit('--only', 'approved')).err).toContain('Choose one: declined, retryable, not-sent, format');
    expect(await resubmit('--only', 'not-sent')).toMatchObject({ status: 5, out: '' });
  });

  it('drops the rows as a new file, once, which walks the whole way and is linked with the old one', async () => {
    const { status, out, err } = await resubmit();
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^Resubmitted: 1 row, 2\.00 USD\. They are in june__.{8}-again-1\.csv in drop\/card\.\n$/);
    const [name = ''] = await readdir(folder);
    const waiting = await resubmit();
    expect(waiting.status).toBe(5);
    expect(waiting.err).toContain(`"${name}" with 1 row of it has not been taken from drop/card`);
    expect(await resubmit('--drop-again')).toMatchObject({ status: 5, out: '' });

    await rm(join(folder, name));
    const tried = await resubmit('--drop-again', '--plan');
    expect(tried).toMatchObject({ status: 0, err: '' });
    expect(tried.out).toContain(`${name} with 1 row, 2.00 USD is written into drop/card again, with the same bytes`);
    expect(await readdir(folder)).toEqual([]);
    expect(await resubmit('--drop-again')).toEqual({ status: 0, out: `Dropped again: ${name}.\n`, err: '' });
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv': 'completed', [name]: 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['C-1', 'C-2', 'C-3', 'C-2']);

    const done = await resubmit();
    expect(done.status).toBe(5);
    expect(done.err).toContain('every such row was already resubmitted');
    expect(await resubmit('--drop-again')).toMatchObject({ status: 5, out: '' });
    const { file_id: old } = await findFile(world.app.ledger, 'june.csv');
    expect((await world.paydrop('why', name)).out).toContain(`It was made of rows of file ${old}.`);
    expect((await world.paydrop('why', 'june.csv')).out).toContain(
      `resubmitted 1 row as ${name}: the card is good now.`,
    );
  });
});

describe('repoll', () => {
  let world: CliWorld;
  beforeAll(async () => {
    // The first poll would be due in a minute.
    world = await openCliWorld({ account: { poll: { firstMs: 60_000, factor: 1, longestMs: 60_000 } } });
    await checkFolders(world.settings);
  });
  afterAll(() => world.close());

  it('says that the question got no answer, and is no worse for it', async () => {
    const claim = await claimContent(world.app, 'drop/ach-charge', 'may.csv', lines([achRow(3)]));
    await takeClaim(world.app, claim);
    await intakeFile(world.app, claim);
    await submitBatch(world.app, { fileId: claim.fileId, batchNo: 1 });
    world.sandbox.faults.plan({ kind: 'http-500', operation: 'getBatchProcessResultFile' });
    const { out, status } = await world.paydrop('repoll', 'may.csv/1');
    expect(out).toMatch(/^The question got no answer: the service answered HTTP 500\. The service has the batch/);
    expect(status).toBe(5);
    await expect.poll(async () => (await world.paydrop('repoll', 'may.csv/1')).out).toMatch(/^The result has arrived/);
  });

  it('ends with status 5 when the result does not fit', async () => {
    const claim = await claimContent(world.app, 'drop/ach-charge', 'july.csv', lines([achRow(2)]));
    await takeClaim(world.app, claim);
    await intakeFile(world.app, claim);
    const july = await findFile(world.app.ledger, 'july.csv');
    await submitBatch(world.app, { fileId: july.file_id, batchNo: 1 });
    world.sandbox.faults.plan({ kind: 'result-amount-altered', operation: 'getBatchProcessResultFile' });
    const said = async () => (await world.paydrop('repoll', 'july.csv/1')).status;
    await expect.poll(said).toBe(5);
    expect((await findFile(world.app.ledger, 'july.csv')).state).toBe('in_progress');
  });
});

const WAIT = { interval: 50 };
function stateOf({ rows }: { rows: { state: string }[] }): string | undefined {
  return rows[0]?.state;
}

describe('unknown list', () => {
  const world = openedForTests(() => openCliWorld({ account: { timeZone: 'America/Toronto' } }));

  it('has nothing to say while nothing is in doubt', async () => {
    expect(await world.paydrop('unknown', 'list')).toEqual({
      status: 0,
      out: 'No batch is in doubt, and no row is undecided.\n',
      err: '',
    });
    expect(JSON.parse((await world.paydrop('unknown', 'list', '--json')).out)).toEqual([]);
  });

  it('says what is known of a real batch in doubt, and a line of it resolves it', async () => {
    world.sandbox.faults.plan({ kind: 'booked-then-reset' });
    await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2)]));
    const workers = await world.start();
    await expect
      .poll(async () => stateOf(await world.app.ledger.pool.query('SELECT state FROM batch')), WAIT)
      .toBe('unknown');
    await workers.stop();
    const { status, out, err } = await world.paydrop('unknown', 'list');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^1 batch is in doubt\. /);
    expect(out).toMatch(
      /Total +50\.00\n +Sent +\S+Z \(.* -0[45]:00\), attempt 1, to 127\.0\.0\.1:\d+\n +Written +\d+ bytes; the request has \d+/,
    );
    expect(out).toMatch(/Returned +nothing\n/);

    const [doubt] = JSON.parse((await world.paydrop('unknown', 'list', '--json')).out);
    expect(doubt).toMatchObject({ name: 'monday.csv', account: 'main', rows: 2, cents: 5_000, seenBatchIds: [] });
    const close = doubt.nextSteps
      .at(-1)
      .command.split(' ')
      .slice(doubt.nextSteps.at(-1).command.split(' ').indexOf('--dir'));
    expect(await world.paydrop(...close.slice(2))).toMatchObject({ status: 0, err: '' });
    expect(await world.paydrop('unknown', 'list')).toMatchObject({
      out: 'No batch is in doubt, and no row is undecided.\n',
    });
  });
});

describe('a row that the service books only after two reports have lacked it', () => {
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
    const answer = await world.app.reports(chargedOf(world.app.ledger, 'main')).getACHEFTApprovedDateRangeCSV(range);
    const path = join(world.root, name);
    await writeFile(path, answer.kind === 'read' ? answer.report.csv! : '');
    return (await world.paydrop('resolve', 'june.csv/1', '--report', path)).out;
  }

  const resubmit = (...words: string[]) =>
    world.paydrop('resubmit', 'june.csv', '--reason', 'both reports lack them', ...words);
  const inFolder = () => readdir(join(world.root, 'drop', 'ach-charge'));
  const booked = (n: number) => world.sandbox.books().filter(({ invoice }) => invoice === `K-${n}`).length;

  it('counts as not charged at first, like the others of its batch', async () => {
    at(-23);
    await book(codeRow(91));
    at(0);
    expect(await readReport('first.csv')).toContain('missing: 3');
    await ageBy(world.app, 'main', 'transaction_report', 25);
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
    const plan = await resubmit('--plan');
    expect(plan.out).toContain('Sends 2 rows, 50.00 USD again in a new file');
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
