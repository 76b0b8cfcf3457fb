import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../../src/cli/demo/compare-books.ts';
import { createReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { ageBy } from '../../support/force-sql.ts';
import { achRow, CARD, cardRow, codeRow, lines } from '../../support/payment-rows.ts';
import { dayReport } from '../../workers/support/resolve-context.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

/**
 * Real batches in doubt in every layout, made by sandbox faults, and every way to resolve them. Each account has one
 * file of three rows in two batches. The first is in doubt; the second must follow once it is resolved.
 */
const STORIES = {
  adopted: { operation: 'card', row: (n: number) => cardRow(n), country: 'US' },
  probed: { operation: 'card', row: canadianRow, country: 'CA' },
  reported: { operation: 'card', row: (n: number) => cardRow(n), country: 'US' },
  closed: { operation: 'card', row: (n: number) => codeRow(n), country: 'US' },
  resent: { operation: 'ach-charge', row: (n: number) => achRow(n), country: 'US' },
  lacking: { operation: 'ach-charge', row: (n: number) => codeRow(n), country: 'US' },
  refunded: { operation: 'ach-refund', row: (n: number) => achRow(n, { amount: '-25.00' }), country: 'US' },
} as const;
type Story = keyof typeof STORIES;
const NAMES = Object.keys(STORIES) as Story[];

let world: CliWorld;
let service: Sandbox;
beforeAll(async () => {
  const accounts = NAMES.map((name) => ({ agentCode: name.toUpperCase(), password: 'TEST88' }));
  service = await startSandbox({ accounts, batchDelayMs: 50, refundsMayExceed: true });
  world = await openCliWorld({
    settings: {
      accounts: Object.fromEntries(NAMES.map((name) => [name, accountOf(name)])),
      folders: NAMES.map(folderOf),
      batch: { maxRows: 2 },
    },
  });
  // A payment from an hour before, which a report must show to prove anything.
  await world.drop('lacking', 'known.csv', lines([codeRow(59)]));
  await world.finish(90_000);
  await ageBy(world.app, 'lacking', 'attempt', 1);
  service.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch', times: 4 });
  service.faults.plan({ kind: 'reset-after-request', operation: 'processACHEFTChargeBatch', times: 2 });
  service.faults.plan({ kind: 'reset-after-request', operation: 'processACHEFTRefundBatch' });
  for (const [index, name] of NAMES.entries()) {
    const { row } = STORIES[name];
    await world.drop(name, `${name}.csv`, lines([1, 2, 3].map((n) => row(10 * index + n))));
  }
  await world.finish(90_000);
});
afterAll(async () => {
  await world.close();
  await service.close();
});

function canadianRow(n: number): string {
  return `06/15/2026,CA-${n},Ada Byron,25.00,VISA,${CARD},12/35`;
}

function accountOf(name: Story): Record<string, unknown> {
  const { country } = STORIES[name];
  const login = { agentCode: name.toUpperCase(), password: 'TEST88', baseUrl: service.url };
  const poll = { firstMs: 60, factor: 1.2, longestMs: 500 };
  return { server: 'NA', country, currency: country === 'CA' ? 'CAD' : 'USD', ...login, poll };
}

function folderOf(name: Story): Record<string, unknown> {
  const complete = { by: 'quiet', quietMs: 60, probes: 2 };
  return { path: `drop/${name}`, account: name, operation: STORIES[name].operation, complete };
}

async function batchOf(name: Story, batchNo = 1): Promise<BatchRow> {
  const { rows } = await world.app.ledger.pool.query<BatchRow>(
    'SELECT b.* FROM batch b JOIN file f USING (file_id) WHERE f.name = $1 AND batch_no = $2',
    [`${name}.csv`, batchNo],
  );
  return rows[0]!;
}

function resolve(name: Story, ...words: string[]) {
  return world.paydrop('resolve', `${name}.csv/1`, ...words);
}

/** Returns an account's invoices in the sandbox's books. */
function bookedInvoices(name: Story): string[] {
  return service
    .books()
    .filter((row) => row.account === name.toUpperCase())
    .map((row) => row.invoice)
    .sort();
}

async function idOf(name: Story): Promise<string> {
  return service.books().find((row) => row.account === name.toUpperCase())!.batchId;
}

function hoursAgo(hours: number): { at: Date } {
  return { at: new Date(Date.now() - hours * 3_600_000) };
}

const WHY = ['--reason', 'looked at with the service'];
const EVIDENCE = ['--evidence', 'Ann of the service desk, ticket 4711, says so'];

describe('paydrop resolve', () => {
  it('begins with every first batch in doubt, and nothing of the second sent', async () => {
    for (const name of NAMES) {
      expect((await batchOf(name)).state, name).toBe('unknown');
      expect((await batchOf(name, 2)).state, name).toBe('ready');
    }
  });

  it('wants one way, and what that needs, before it looks at anything', async () => {
    const lines = [
      ['--adopt', '1', '--close-in-doubt'],
      ['--not-received', ...EVIDENCE],
      ['--close-in-doubt'],
      ['--probe', 'one..two'],
      ['--adopt', '1', ...EVIDENCE],
    ];
    for (const words of lines) expect(await resolve('adopted', ...words), words.join(' ')).toMatchObject({ status: 1 });
    expect(await resolve('adopted', '--report', join(world.root, 'nowhere.csv'))).toMatchObject({
      status: 1,
      out: '',
    });
  });

  it('without a way shows what is known and the lines that resolve it', async () => {
    const { status, out } = await resolve('adopted');
    expect(status).toBe(4);
    expect(out).toContain('Next steps');
    expect(out).toContain('--not-received');
  });

  it('--adopt refuses the id of another batch and one that nobody knows, then adopts the one that matches', async () => {
    const { file_id: fileId } = await batchOf('adopted');
    for (const wrong of [await idOf('probed'), '77']) {
      const refused = await resolve('adopted', '--adopt', wrong);
      expect(refused).toMatchObject({ status: 4, out: '' });
      expect(refused.err).toMatch(
        /^Cannot enter batch id "\d+" for batch 1 of file "adopted\.csv": the service does not/,
      );
    }
    const tried = await resolve('adopted', '--adopt', await idOf('adopted'), '--plan');
    expect(tried).toMatchObject({ status: 0, err: '' });
    expect(tried.out).toContain('This is a plan; nothing was changed.');
    expect((await batchOf('adopted')).state).toBe('unknown');

    const done = await resolve('adopted', '--adopt', await idOf('adopted'), '--json');
    expect(JSON.parse(done.out)).toMatchObject({
      fileId,
      batchNo: 1,
      verb: 'adopt',
      result: 'done',
      state: 'submitted',
    });
    expect(done.status).toBe(0);
    expect(await resolve('adopted', '--adopt', await idOf('adopted'))).toMatchObject({ status: 5, out: '' });
  });

  it('--probe finds the id among others, changes nothing, and prints the line that adopts it', async () => {
    const id = Number(await idOf('probed'));
    const probed = await resolve('probed', '--probe', `${id - 2}..${id + 1}`);
    expect(probed).toMatchObject({ status: 0, err: '' });
    expect(probed.out).toContain(`${id} matches in every row.`);
    expect((await batchOf('probed')).state).toBe('unknown');
    const words = /resolve (\S+) --adopt (\d+)$/m.exec(probed.out)!;
    expect(await world.paydrop('resolve', words[1]!, '--adopt', words[2]!)).toMatchObject({ status: 0 });
    expect((await batchOf('probed')).state).toBe('submitted');
  });

  it('--not-received is refused before the waiting time, and without words that say something', async () => {
    const early = await resolve('resent', '--not-received', ...EVIDENCE, ...WHY);
    expect(early).toMatchObject({ status: 4, out: '' });
    expect(early.err).toContain('the service may still book it');
    expect(await resolve('resent', '--not-received', '--evidence', 'yes', ...WHY)).toMatchObject({ status: 4 });
    expect((await batchOf('resent')).state).toBe('unknown');
  });

  it('--not-received after the waiting time makes the next attempt ready', async () => {
    for (const name of ['resent', 'refunded'] as const) {
      await ageBy(world.app, name, 'attempt', 25);
      const done = await resolve(name, '--not-received', ...EVIDENCE, ...WHY);
      expect(done).toMatchObject({ status: 0, err: '' });
      expect(done.out).toContain('it is sent again, as attempt 2');
      expect(done.out).toContain(`Account ${name} continues automatically`);
      expect(await batchOf(name)).toMatchObject({ state: 'ready', attempt: 2 });
    }
  });

  it('--report ends the batch with a report of the service that shows every row', async () => {
    const path = join(world.root, 'approved.csv');
    const client = createReportClient({
      server: 'NA',
      agentCode: 'REPORTED',
      password: 'TEST88',
      currency: 'USD',
      baseUrl: service.url,
    });
    const { at: date } = service.books().find((row) => row.account === 'REPORTED')!;
    const answer = await client.getCreditCardApprovedSpecificDateCSV({ date });
    await writeFile(path, answer.kind === 'read' ? answer.report.csv! : '');
    const done = await resolve('reported', '--report', path, '--json');
    expect(JSON.parse(done.out)).toMatchObject({
      result: 'done',
      state: 'reconciled',
      counts: { found: 2, absent: 0 },
    });
    expect(done.status).toBe(0);
  });

  it('--report takes rows for not charged only when a second, later report lacks them too', async () => {
    await ageBy(world.app, 'lacking', 'attempt', 26);
    const first = join(world.root, 'first.csv');
    const second = join(world.root, 'second.csv');
    const known = { ...hoursAgo(27), invoice: 'K-59', customerCode: 'A10000059', total: '25.00' };
    await writeFile(first, dayReport([known, hoursAgo(3)], 'LACKING'));
    await writeFile(second, dayReport([known, hoursAgo(3), hoursAgo(1)], 'LACKING'));
    const unknown = join(world.root, 'unknown.csv');
    await writeFile(unknown, dayReport([hoursAgo(30), hoursAgo(3)], 'LACKING'));
    const filtered = await resolve('lacking', '--report', unknown, '--plan');
    expect(filtered.out).toContain('it may have another time zone, account or filter');
    const kept = await resolve('lacking', '--report', first);
    expect(kept.status).toBe(4);
    expect(kept.out).toContain('missing: 2');
    expect(kept.out).toContain('Give a second report');
    // Too soon, it does not count as a second report, whatever it holds.
    expect((await resolve('lacking', '--report', second, '--plan')).out).toContain('2 stay in doubt');
    expect((await batchOf('lacking')).state).toBe('unknown');
    await ageBy(world.app, 'lacking', 'transaction_report', 25);
    const done = await resolve('lacking', '--report', second, '--json');
    expect(JSON.parse(done.out)).toMatchObject({ result: 'done', state: 'reconciled', certain: 2, uncertain: [] });
  });

  it('--close-in-doubt ends the batch without an answer', async () => {
    expect(await resolve('closed', '--close-in-doubt', ...WHY)).toMatchObject({ status: 0, err: '' });
    expect(await batchOf('closed')).toMatchObject({ state: 'reconciled', batch_id: null });
  });

  it('afterwards every account goes on, every file is completed, and the outputs say what happened', async () => {
    await world.finish(90_000);
    expect(new Set(Object.values(await world.states()))).toEqual(new Set(['completed']));
    const results = await world.outputs('result');
    const retries = Object.keys(await world.outputs('retry')).map((name) => name.split('__')[0]);
    const rejects = Object.keys(await world.outputs('rejects'));
    const outcomes = Object.fromEntries(
      Object.entries(results).map(([name, text]) => [
        name.split('__')[0],
        text.match(/,(APPROVED|ACCEPTED_PENDING|UNKNOWN|NOT_CHARGED|DECLINED),/g)?.map((cell) => cell.slice(1, -1)),
      ]),
    );
    expect(outcomes).toMatchObject({
      adopted: ['APPROVED', 'APPROVED', 'APPROVED'],
      probed: ['APPROVED', 'APPROVED', 'APPROVED'],
      reported: ['APPROVED', 'APPROVED', 'APPROVED'],
      closed: ['UNKNOWN', 'UNKNOWN', 'APPROVED'],
      resent: ['ACCEPTED_PENDING', 'ACCEPTED_PENDING', 'ACCEPTED_PENDING'],
      lacking: ['NOT_CHARGED', 'NOT_CHARGED', 'ACCEPTED_PENDING'],
    });
    expect({ retries, rejects }).toEqual({ retries: ['lacking'], rejects: [] });
    expect(await world.paydrop('unknown', 'list')).toEqual({
      status: 0,
      out: 'No batch is in doubt, and no row is undecided.\n',
      err: '',
    });
  });

  it('charges nobody twice: the books hold each row of a resolved batch once, and agree but for what is UNKNOWN', async () => {
    expect(bookedInvoices('resent')).toEqual(['A-41', 'A-42', 'A-43']);
    expect(bookedInvoices('adopted')).toEqual(['C-1', 'C-2', 'C-3']);
    expect(bookedInvoices('lacking')).toEqual(['K-53', 'K-59']);
    const differences = await compareBooks(world.app, service.books());
    expect(differences.filter((text) => !/ K-3[12] /.test(text))).toEqual([]);
    expect((await verifyAudit(world.app.ledger)).brokenAt).toBeUndefined();
  });

  it('keeps both attempts, with what was made of the first', async () => {
    const { file_id: fileId } = await batchOf('resent');
    const { rows } = await world.app.ledger.pool.query(
      'SELECT attempt, verdict, resolution FROM attempt WHERE file_id = $1 AND batch_no = 1 ORDER BY attempt',
      [fileId],
    );
    expect(rows).toEqual([
      { attempt: 1, verdict: 'unknown', resolution: 'not_received' },
      { attempt: 2, verdict: 'submitted', resolution: null },
    ]);
  });
});
