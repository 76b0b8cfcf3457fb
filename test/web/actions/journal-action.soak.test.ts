import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import { dayReport } from '../../workers/support/day-report.ts';
import { type ActionPage, openAction, readAction } from '../support/action-page.ts';
import type { TestBrowser } from '../support/dashboard-world.ts';
import { type DoubtWorld, KNOWN_ROW, openDoubtWorld } from '../support/doubt-world.ts';

let world: DoubtWorld;
let operator: TestBrowser;
beforeAll(async () => {
  world = await openDoubtWorld({
    reported: {},
    lacking: { operation: 'ach-charge', isBooked: false, hasKnown: true },
    paired: { account: { secondPerson: { resolutions: true } } },
  });
  operator = await world.as('operator');
});
afterAll(() => world.close());

/** Sends the page's form with a file, as a browser does. */
async function upload(story: string, report: string, fields: Record<string, string> = {}): Promise<ActionPage> {
  const body = new FormData();
  const form = { _csrf: await operator.csrf(), ...fields };
  for (const [name, value] of Object.entries(form)) body.set(name, value);
  body.set('report', new File([report], 'report.csv', { type: 'text/csv' }));
  const path = `${await world.pathOf(story)}/do/journal`;
  return readAction(await operator.send(path, { method: 'POST', body }));
}

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

describe('journal', () => {
  it('asks for the report first, with a form that can bring one', async () => {
    const { status, text, hidden } = await openAction(operator, `${await world.pathOf('reported')}/do/journal`);
    expect([status, hidden['bind']]).toEqual([200, undefined]);
    expect(text).toMatch(/<form [^>]*enctype="multipart\/form-data"/);
    expect(text).toContain('src="/assets/keep-file.js"');
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
    await world.age('lacking', 'journal_report', 25);
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
