import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/calendar/calendar.ts';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type Answer, type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';
import { wordsOf } from '../support/page-words.ts';

const ZONE = 'Pacific/Kiritimati';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ account: { timeZone: ZONE } });
});
afterAll(() => world.close());

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
    expect(words).toContain('Accepted, 1 file 3 75.00 Came 3 75.00');
    expect(words).toContain('ACCEPTED_PENDING taken for the bank, not paid yet 3 75.00');
    expect(words).toContain('Still open 0 0.00 Became 3 75.00');
    expect(words).toContain('Difference: 0 rows, 0.00 USD.');
  });

  it('says loudly when rows or money are missing', async () => {
    await world.app.ledger.pool.query(`UPDATE batch_outcome SET rows = rows - 1, cents = cents - 2500`);
    const { text, words } = await report();
    expect(text).toContain('role="alert"');
    expect(words).toContain('The day does not balance Difference: 1 row, 25.00 USD.');
    await world.app.ledger.pool.query(`UPDATE batch_outcome SET rows = rows + 1, cents = cents + 2500`);
    expect((await report()).words).toContain('The day balances');
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
