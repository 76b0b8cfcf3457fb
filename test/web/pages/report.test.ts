import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/calendar/calendar.ts';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type Answer, dashboardForTests } from '../support/dashboard-world.ts';
import { wordsOf, draw } from '../support/page-words.ts';
import { dayReportText, type DayReport } from '../../../src/reconcile/outputs/day-report.ts';
import { DayTables } from '../../../src/web/pages/report.tsx';

const ZONE = 'Pacific/Kiritimati';

const world = dashboardForTests({ account: { timeZone: ZONE } });

async function report(query = ''): Promise<Answer & { words: string }> {
  const answer = await (await world.as('viewer')).get(`/report${query}`);
  return { ...answer, words: wordsOf(answer.text) };
}

function today(): string {
  return dayInZone(world.app.clock.now(), ZONE);
}

/** The tests build on each other. */
describe('reportPage', () => {
  it('shows today in the zone of the account when nothing is asked for, and balances with nothing', async () => {
    const { status, words, text } = await report();
    expect(status).toBe(200);
    expect(words).toContain(`Day report, main, ${today()}`);
    expect(words).toContain('The day balances Difference: 0 rows, 0.00 USD.');
    expect(words).toContain('This day is not over yet');
    expect(words).toContain('Nothing is open.');
    expect(text).toContain(`href="/report?account=main&amp;day=${addDays(today(), -1)}"`);
    expect(text).not.toContain(`day=${addDays(today(), 1)}"`);
  });

  it('shows what came, what became of it, and the difference', async () => {
    await world.drop('ach-charge', 'june.csv', lines(upTo(3).map((n) => achRow(n))));
    await world.finish();
    const { words } = await report(`?account=main&day=${today()}`);
    expect(words).toContain('Accepted, 1 file 3 75.00 Total 3 75.00');
    expect(words).toContain('Pending at bank passed to the bank, not paid yet 3 75.00');
    expect(words).toContain('Still open 0 0.00 Total 3 75.00');
    expect(words).toContain('Difference: 0 rows, 0.00 USD.');
  });

  it('shows a day of the past as it stood, with the days around it', async () => {
    const { words, text } = await report(`?day=${addDays(today(), -1)}`);
    expect(words).not.toContain('not over yet');
    expect(text).toContain(`href="/report?account=main&amp;day=${today()}"`);
    expect(text).toContain(`href="/report?account=main&amp;day=${addDays(today(), -2)}"`);
  });

  it.each([
    ['?day=yesterday', 400],
    ['?day=2026-02-30', 400],
    ['?account=nobody', 404],
  ])('refuses %s with %i', async (query, status) => {
    const answer = await report(query);
    expect(answer.status).toBe(status);
    expect(answer.words).not.toContain('The day balances');
  });
});

const day: DayReport = {
  day: '2026-06-15',
  account: 'main',
  timeZone: 'America/Toronto',
  isOver: true,
  broughtForward: { rows: 1, cents: 100 },
  accepted: { files: 2, rows: 1_209, cents: 1_234_500 },
  final: { declined: { rows: 10, cents: 1_000 }, approved: { rows: 1_190, cents: 1_233_000 } },
  open: { rows: 10, cents: 600 },
  openBatches: [
    {
      fileId: 'g7fhpaqs00000000',
      batchNo: 2,
      name: 'june.csv',
      acceptedAt: '2026-06-15 06:00:00 -04:00',
      rows: 6,
      cents: 300,
      stateNow: 'unknown',
    },
  ],
  changes: [],
};

const html = (change: Partial<DayReport> = {}) => draw(DayTables, { report: { ...day, ...change }, currency: 'CAD' });

describe('DayTables', () => {
  it('tells of rows that were not paid', () => {
    const withheld = { rows: 3, cents: 2_500, unreadable: 0 };
    expect(wordsOf(html({ withheld }))).toContain('3 rows were withheld and not paid: 25.00.');
    expect(wordsOf(html())).not.toContain('withheld');
  });

  it('shows each figure that the report in text shows, and no other outcome', () => {
    const words = wordsOf(html()).replaceAll(',', '');
    const figures = [...dayReportText([day]).matchAll(/(\d+) +(-?[\d.]+\.\d\d)(?:$| {2})/gm)].map(
      ([, rows, total]) => `${rows} ${total}`,
    );
    expect(figures).toHaveLength(6);
    for (const figure of figures.slice(0, -1)) expect(words).toContain(figure);
    expect(words).not.toContain('Duplicate reported');
  });

  it('adds up what came and what became of it', () => {
    const words = wordsOf(html());
    expect(words).toContain('1,209 12,345.00 Total 1,210 12,346.00');
    expect(words).toContain('Still open 10 6.00 Total 1,210 12,346.00');
    expect(words).toContain('Difference: 0 rows, 0.00 CAD.');
  });

  it('lists what is open with a way to it, and how much more there is', () => {
    expect(html()).toContain('href="/files/g7fhpaqs00000000/batches/2"');
    expect(wordsOf(html())).toContain('And 4 rows in later batches.');
    const all = { open: { rows: 6, cents: 300 }, accepted: { ...day.accepted, rows: 1_205, cents: 1_234_200 } };
    expect(wordsOf(html(all))).not.toContain('later batches');
  });

  it('says loudly what is missing', () => {
    const page = html({ accepted: { files: 2, rows: 1_210, cents: 1_234_501 } });
    expect(page).toContain('role="alert"');
    expect(wordsOf(page)).toContain('Difference: 1 row, 0.01 CAD.');
    expect(html()).not.toContain('role="alert"');
  });

  it('shows late changes, where there are any', () => {
    expect(wordsOf(html())).not.toContain('Changed after');
    const changes = [{ before: 'accepted_pending', after: 'declined', rows: 2, cents: 5_000 }];
    expect(wordsOf(html({ changes }))).toContain('Pending at bank Declined 2 50.00');
  });

  it('says that a day is not over', () => {
    expect(wordsOf(html({ isOver: false }))).toContain('not over yet');
    expect(wordsOf(html())).not.toContain('not over yet');
  });
});
