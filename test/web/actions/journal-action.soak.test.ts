import { beforeAll, describe, expect, it } from 'vitest';
import { assetAt } from '../../../src/web/assets.ts';
import { createReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import { dayReport } from '../../workers/support/resolve-context.ts';
import { type ActionPage, doIt, fileNamed, openAction, readAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { KNOWN_ROW, openDoubtWorld } from '../support/doubt-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { ACTIONS } from '../../../schemas/actions.ts';
import type { BatchState, FileState } from '../../../schemas/lifecycle.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { handledIn } from '../../../src/web/actions/actions-for.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';

const HANDLED = handledIn([]);

describe('journal', () => {
  const world = openedForTests(() =>
    openDoubtWorld({
      reported: {},
      lacking: { operation: 'ach-charge', isBooked: false, hasKnown: true },
      paired: { account: { secondPerson: { resolutions: true } } },
    }),
  );
  async function reportOf(story: string): Promise<string> {
    const login = { agentCode: story.toUpperCase(), password: 'TEST88', currency: 'USD' } as const;
    const client = createReportClient({ server: 'NA', ...login, baseUrl: world.service.url });
    const { at: date } = world.service.books().find((row) => row.account === story.toUpperCase())!;
    const answer = await client.getCreditCardApprovedSpecificDateCSV({ date });
    return answer.kind === 'read' ? answer.report.csv! : '';
  }
  function hoursAgo(hours: number): { at: Date } {
    return { at: new Date(Date.now() - hours * 3_600_000) };
  }
  let operator: TestBrowser;
  beforeAll(async () => {
    operator = await world.as('operator');
  });
  /** Sends the page's form with a file, as a browser does. */
  async function upload(story: string, report: string, fields: Record<string, string> = {}): Promise<ActionPage> {
    const body = new FormData();
    const form = { _csrf: await operator.csrf(), ...fields };
    for (const [name, value] of Object.entries(form)) body.set(name, value);
    body.set('report', new File([report], 'report.csv', { type: 'text/csv' }));
    const path = `${await world.pathOf(story)}/do/journal`;
    return readAction(await operator.send(path, { method: 'POST', body }));
  }

  it('asks for the report first, with a form that can bring one', async () => {
    const { status, text, hidden } = await openAction(operator, `${await world.pathOf('reported')}/do/journal`);
    expect([status, hidden['bind']]).toEqual([200, undefined]);
    expect(text).toMatch(/<form [^>]*enctype="multipart\/form-data"/);
    expect(text).toContain(`src="${assetAt('keep-file.js')}"`);
  });

  it('takes no form without the token of the session, and no file without rows', async () => {
    expect((await upload('reported', 'x', { _csrf: 'strange' })).status).toBe(403);
    const { status, words } = await upload('reported', 'no report');
    expect([status, words]).toEqual([409, expect.stringContaining('Cannot read a report for')]);
    expect((await world.batchOf('reported')).state).toBe('unknown');
  });

  it('says what a report would do, and ends the batch with it when it shows every row', async () => {
    const report = await reportOf('reported');
    const plan = await upload('reported', report);
    expect([plan.status, plan.words]).toEqual([200, expect.stringContaining('The report shows 2 rows; missing: 0')]);
    expect((await world.batchOf('reported')).state).toBe('unknown');
    const other = await upload('reported', `${report}\r\n`, { ...plan.hidden, reason: 'as the service says' });
    expect([other.status, other.words]).toEqual([409, expect.stringContaining('This has changed since you opened it')]);
    const done = await upload('reported', report, { ...plan.hidden, reason: 'as the service says' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Every row is certain.')]);
    expect((await world.batchOf('reported')).state).toBe('reconciled');
    expect((await upload('reported', report, { ...plan.hidden, reason: 'again' })).status).toBe(409);
  });

  it('takes rows for not charged only when a second, later report lacks them too', async () => {
    await world.age('lacking', 'attempt', 26);
    const known = { ...hoursAgo(27), invoice: `A-${KNOWN_ROW}`, total: '25.00' };
    const first = dayReport([known, hoursAgo(3)], 'LACKING');
    const plan = await upload('lacking', first);
    expect(plan.words).toContain('Save the findings of the report');
    const kept = await upload('lacking', first, { ...plan.hidden, reason: 'the first of two' });
    expect(kept.words).toContain('The findings of the report are saved. The batch is still in doubt.');
    expect(kept.words).toContain('Give a second report');
    expect((await world.batchOf('lacking')).state).toBe('unknown');
    await world.age('lacking', 'transaction_report', 25);
    const second = dayReport([known, hoursAgo(3), hoursAgo(1)], 'LACKING');
    const end = await upload('lacking', second);
    expect(end.words).toContain('End the batch with the outcomes of the reports');
    expect((await upload('lacking', second, { ...end.hidden, reason: 'both lack them' })).status).toBe(200);
    expect((await world.batchOf('lacking')).state).toBe('reconciled');
    expect(world.booked('lacking')).toEqual([`A-${KNOWN_ROW}`]);
  });

  it('keeps the report and proposes the end where two persons are asked for', async () => {
    const report = await reportOf('paired');
    const plan = await upload('paired', report);
    expect(plan.words).toContain('Another person must confirm');
    const done = await upload('paired', report, { ...plan.hidden, reason: 'as the service says' });
    expect(done.words).toContain('Another person must confirm it; nothing is done yet.');
    expect((await world.batchOf('paired')).state).toBe('unknown');
  });

  it('does not read what is larger than any report', async () => {
    const path = `${await world.pathOf('lacking')}/do/journal`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'x-csrf-token': await operator.csrf() };
    const body = new Uint8Array(51 * 1024 * 1024);
    expect((await operator.send(path, { method: 'POST', headers, body })).status).toBe(413);
  });
});

describe('probe', () => {
  const world = openedForTests(() => openDoubtWorld({ other: {}, probed: {} }));
  let operator: TestBrowser;
  let id: number;
  beforeAll(async () => {
    operator = await world.as('operator');
    id = Number(world.idOf('probed'));
  });
  async function path(): Promise<string> {
    return `${await world.pathOf('probed')}/do/probe`;
  }

  it('says that it only reads, and that there is nothing to go by', async () => {
    const { status, words, text } = await openAction(operator, await path());
    expect(status).toBe(200);
    expect(words).toContain('This only reads and changes nothing.');
    expect(words).toContain('The account has no other batch to compare with');
    expect(text).not.toContain('name="reason"');
  });

  it.each([
    ['no numbers', { from: 'one', to: 'two' }],
    ['the wrong way round', { from: '9', to: '1' }],
    ['too many', { from: '1', to: '101' }],
    ['half of it', { from: '1', to: '' }],
  ])('refuses a range that is %s, and keeps what was written', async (_, range) => {
    const { status, text } = await doIt(operator, await path(), range);
    expect([status, text]).toEqual([400, expect.stringContaining(`value="${range.from}"`)]);
  });

  it('finds the id among others, changes nothing, and leads to the action that adopts it', async () => {
    const found = await doIt(operator, await path(), { from: String(id - 1), to: String(id + 1) });
    expect(found.status).toBe(200);
    expect(found.words).toContain(`Batch id ${id} matches in every row. Nothing was changed yet.`);
    expect(found.words).toContain('matches in every row');
    expect(found.words).toContain('Asked for 3 ids');
    expect((await world.batchOf('probed')).state).toBe('unknown');
    const [, link = ''] = /<a href="([^"]+)">Enter batch id/.exec(found.text)!;
    expect((await doIt(operator, link)).status).toBe(200);
    expect(await world.batchOf('probed')).toMatchObject({ state: 'submitted', batch_id: String(id) });
  });

  it('suggests the range between the ids that the account got before and after the call', async () => {
    await world.finish(60_000);
    const { rows } = await world.app.ledger.pool.query<{ before: string }>(
      `SELECT max(batch_id) AS before FROM batch WHERE account = 'probed'`,
    );
    world.service.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
    await world.drop(
      'probed',
      'next.csv',
      '06/15/2026,C-99,Ada,Byron,1 Mill Lane,Troy,NY,12180,25.00,VISA,4222222222222220,12/35\n',
    );
    await world.finish(60_000);
    const { rows: next } = await world.app.ledger.pool.query<{ file_id: string }>(
      `SELECT file_id FROM batch WHERE account = 'probed' AND state = 'unknown'`,
    );
    const { text } = await openAction(operator, `/files/${next[0]!.file_id}/batches/1/do/probe`);
    expect(text).toContain(`name="from" type="text" value="${Number(rows[0]!.before) + 1}"`);
  });

  it('says that no id of a range is the one, and that this shows little', async () => {
    const { rows } = await world.app.ledger.pool.query<{ file_id: string }>(
      `SELECT file_id FROM batch WHERE account = 'probed' AND state = 'unknown'`,
    );
    const range = { from: '900', to: '901' };
    const { words } = await doIt(operator, `/files/${rows[0]!.file_id}/batches/1/do/probe`, range);
    expect(words).toContain('This does not prove that the service never received it.');
    expect(words).toContain('2 unknown to the service');
  });
});

/** States of a batch that was or may have been sent. */
const MAY_BE_SENT: readonly BatchState[] = ['sending', 'unknown', 'submitted', 'result_in', 'exception', 'reconciled'];
const FILE_STATES: readonly FileState[] = ['held', 'in_progress'];
const CASES = FILE_STATES.flatMap((file) => MAY_BE_SENT.map((batch) => ({ file, batch })));
/** Every field that an action may ask for. */
const FORM = {
  reason: 'to see whether it can be sent again',
  evidence: 'Ann of the service desk, ticket 4711',
  batchId: '1000001',
  from: '1',
  to: '1',
};

describe('the actions of files and batches', () => {
  const world = openedForTests(openDashboardWorld);
  let admin: TestBrowser;
  let fileId: string;
  beforeAll(async () => {
    admin = await world.as('admin');
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    await world.finish();
    ({ file_id: fileId } = await fileNamed(world, 'june.csv'));
  });
  /** Sets these states, as after a call that may have just reached the service. */
  async function setDown(file: FileState, batch: BatchState): Promise<void> {
    const client = await world.app.ledger.pool.connect();
    try {
      await client.query('BEGIN');
      // Otherwise the database rightly refuses the change.
      await client.query('SET LOCAL session_replication_role = replica');
      await client.query('UPDATE file SET state = $2 WHERE file_id = $1', [fileId, file]);
      await client.query(
        `UPDATE batch SET state = $2, attempt = 1,
         batch_id = CASE WHEN $2 IN ('submitted', 'result_in', 'exception', 'reconciled') THEN 'b1' END,
         token = CASE WHEN $2 = 'sending' THEN gen_random_uuid() END, worker = CASE WHEN $2 = 'sending' THEN $3 END,
         lease_until = CASE WHEN $2 = 'sending' THEN clock_timestamp() + interval '1 minute' END
       WHERE file_id = $1`,
        [fileId, batch, world.app.ledger.instance.id],
      );
      await client.query(
        `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ($1, 1, 1, 'worker', 'service.test', 10, now(), gen_random_uuid()) ON CONFLICT DO NOTHING`,
        [fileId],
      );
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }
  async function tryAction(action: (typeof HANDLED)[number]): Promise<void> {
    const base = ACTIONS[action].to === 'batch' ? `/files/${fileId}/batches/1` : `/files/${fileId}`;
    const path = `${base}/do/${action}`;
    const { hidden } = await openAction(admin, `${path}?${new URLSearchParams(FORM).toString()}`);
    await admin.post(path, { bind: 'none', ...FORM, ...hidden });
  }

  it.each(CASES)(
    'let nothing that is $batch in a file that is $file be sent or count as never sent',
    async (states) => {
      for (const action of HANDLED.filter((name) => ACTIONS[name].to === 'file' || ACTIONS[name].to === 'batch')) {
        await setDown(states.file, states.batch);
        await tryAction(action);
        const { state, attempt } = await readBatchRow(world.app.ledger, { fileId, batchNo: 1 });
        expect(['ready', 'refused', 'cancelled'], `${action} of ${states.batch}`).not.toContain(state);
        expect(attempt, action).toBe(1);
      }
      const { rows } = await world.app.ledger.pool.query('SELECT 1 FROM attempt WHERE attempt > 1');
      expect(rows).toEqual([]);
      expect(world.sandbox.books()).toEqual([]);
    },
  );
});
