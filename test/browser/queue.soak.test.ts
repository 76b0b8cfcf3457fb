import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { forceSql } from '../support/force-sql.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { upTo } from '../support/payment-rows.ts';
import { fileNamed } from '../web/support/action-page.ts';
import { findViolations } from './support/dashboard-day.ts';
import { logInCounted, visitAs } from './support/furnished-dashboard.ts';
import { openQueueWorld } from './support/queue-world.ts';

const RESULTS = 30;
/** Every stage that shows the age of its oldest; schedules have none. */
const STAGES = ['Checking', 'Approval', 'To send', 'At the service', 'Reconciling', 'Delivering'];

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

/** The tests build on each other. */
describe.runIf(chromiumIsInstalled())('the work queue in a browser', () => {
  const world = openedForTests(openQueueWorld);
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    browser = await openChromium();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(60_000);
    page = await visitAs(context, world, { path: '/', as: 'operator' });
  });
  afterAll(() => browser.close());

  const open = (list = 'needs') => page.goto(`${world.url}/queue?list=${list}`);
  const card = (title: string) => cardOf(page, title);
  const needs = () => page.getByRole('group', { name: 'What needs you' }).locator('tbody tr');
  const ages = () =>
    Promise.all(STAGES.map(async (stage) => [stage, await card(stage).locator('.state time').innerText()]));

  it('says the rate of the last five minutes', async () => {
    await world.dropFor('main', 'june.csv', upTo(2 * RESULTS));
    await world.finish();
    await open();
    expect(await card('Reconciling').innerText()).toContain('6 a minute');
  });

  it('shows what needs a person, the worst first, and its number beside the navigation and in the title', async () => {
    await world.makeTrouble();
    await open();
    const states = await needs()
      .locator('[data-state]')
      .evaluateAll((badges) => badges.map((badge) => badge.getAttribute('data-state')));
    expect(states).toEqual(['in_doubt', 'mismatch', 'refused', 'stopped', 'needs_approval', 'proposal', 'overdue']);
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Queue/ });
    expect(await link.locator('.badge').innerText()).toMatch(new RegExp(`^${states.length}\\b`));
    expect(await page.title()).toMatch(new RegExp(`^\\(${states.length}\\) Queue`));
    expect(await findViolations(page)).toEqual([]);
    await forceSql(
      world.app,
      `UPDATE batch SET state = 'reconciled', stale_since = NULL WHERE stale_since IS NOT NULL`,
    );
  });

  it('names the cause that keeps an account from sending, leads to it, and lists what waits with its money', async () => {
    await open();
    const toSend = card('To send');
    const cause = 'account paused is paused by ada: the bank is closed';
    expect(await toSend.innerText()).toContain(`Nothing is sent for paused: ${cause}`);
    await toSend.getByRole('link', { name: cause }).click();
    expect(page.url()).toBe(`${world.url}/accounts/paused`);
    await page.goBack();
    await toSend.getByRole('link', { name: 'To send' }).click();
    expect(page.url()).toBe(`${world.url}/queue?list=blocked`);
    const group = page.locator('.group').filter({ has: page.getByRole('heading', { name: cause }) });
    expect(await group.count()).toBe(1);
    const batches = await world.readOne<string[]>(
      `SELECT array_agg(name || ', batch ' || batch_no ORDER BY batch_no) AS value
       FROM batch JOIN file USING (file_id) WHERE batch.account = 'paused' AND file.state <> 'held'`,
    );
    expect(batches).toHaveLength(4);
    expect(await group.locator('td.name').allInnerTexts()).toEqual(batches);
    const amounts = await group.locator('td.amount').allInnerTexts();
    const sum = amounts.reduce((all, text) => all + Number(text.replace(' USD', '')), 0);
    expect(await group.locator('.hint').innerText()).toContain(
      `4 batches of account paused, with 7 payments, ${sum.toFixed(2)} USD, wait behind it.`,
    );
    expect(sum).toBe(7 * 25);
    await page.getByRole('link', { name: 'Resolve it' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Resolve batch 1 of doubtful.csv');
  });

  it('takes two clicks from an invoice to the answer for the customer', async () => {
    const { page: viewer, clicks } = await logInCounted(browser, world, 'viewer');
    const field = viewer.getByRole('searchbox', { name: 'Invoice, amount, day, file or batch id' });
    await field.fill('a-7');
    await field.press('Enter');
    await viewer.getByRole('link', { name: 'A-7', exact: true }).click();
    await viewer.getByRole('heading', { name: 'Payment on line 7', level: 1 }).waitFor();
    expect(await viewer.getByLabel('Text to copy').inputValue()).toMatch(/25\.00 USD for invoice A-7/);
    expect(clicks()).toBe(2);
  });

  it('takes two clicks, of three allowed, from a refused batch to the one that is sent again', async () => {
    const { page: operator, clicks } = await logInCounted(browser, world, 'operator');
    await lineOf(operator, 'refused.csv, batch 1').getByRole('link', { name: 'Send again…' }).click();
    await operator.getByLabel('Reason').fill('their firewall is open again');
    await operator.getByRole('button', { name: 'Send 1 row, 25.00 USD again' }).click();
    await operator.getByRole('heading', { name: /^Send again/, level: 1 }).waitFor();
    expect(await world.firstBatchOf('refused.csv')).toEqual({ state: 'ready', attempt: 2 });
    expect(clicks()).toBe(2);
  });

  it('takes one click, of two allowed, to decide on a held duplicate beside its evidence', async () => {
    const { page: approver, clicks } = await logInCounted(browser, world, 'approver');
    const held = approver.locator('section.card').filter({ has: approver.getByRole('heading', { name: 'again.csv' }) });
    const evidence = await held.locator('tbody tr').allInnerTexts();
    expect(evidence.map((row) => row.split('\t').slice(1, 6).join(' '))).toEqual([
      expect.stringMatching(/^Line 1 of june\.csv .* A-1 {2}25\.00 …0001$/),
      'Line 1 A-1  25.00 …0001',
    ]);
    await held.getByLabel('Reason').fill('the customer pays twice this month');
    await held.getByRole('button', { name: 'Approve 2 rows, 50.00 USD' }).click();
    await approver.getByRole('heading', { name: /^Approve/, level: 1 }).waitFor();
    expect((await fileNamed(world, 'again.csv')).state).toBe('accepted');
    expect(clicks()).toBe(1);
  });

  it('takes five clicks from money in doubt to its result', async () => {
    const { page: operator, clicks } = await logInCounted(browser, world, 'operator');
    await lineOf(operator, 'doubtful.csv, batch 1').getByRole('link', { name: 'Resolve' }).click();
    await operator.getByRole('link', { name: 'Look for its batch id…' }).click();
    // Each id is queried after a pause, so the test queries only the first few of those proposed.
    const first = Number(await operator.getByLabel('First batch id').inputValue());
    await operator.getByLabel('Last batch id').fill(String(first + 3));
    await operator.getByRole('button', { name: 'Ask for these ids' }).click();
    await operator.getByRole('link', { name: /^Enter batch id/ }).click();
    await operator.getByLabel('Reason').fill('its rows fit');
    await operator.getByRole('button', { name: /^Enter \d/ }).click();
    await expect.poll(() => world.firstBatchOf('doubtful.csv')).toMatchObject({ state: 'submitted' });
    expect(clicks()).toBe(5);
  });

  it('lets what was decided go its way, each payment once', async () => {
    await world.finish();
    for (const name of ['refused.csv', 'again.csv', 'doubtful.csv'])
      expect(await world.states()).toHaveProperty([name], 'completed');
    const invoices = world.sandbox.books().map(({ invoice }) => invoice);
    const twice = invoices.filter((invoice, place) => invoices.indexOf(invoice) !== place);
    // It was approved as a duplicate.
    expect(twice).toEqual(['A-1']);
  });

  it('has a card for each stage, with what the ledger counts there and the age of the oldest', async () => {
    const now = world.clock.now();
    world.clock.stopAt(now);
    await world.fillStages(new Date(now.getTime() - 5_000));
    await open();
    expect(await page.locator('.stages > li').count()).toBe(STAGES.length + 1);
    const depth = await world.readOne<number>(
      `SELECT count(*)::int AS value FROM batch b JOIN file f USING (file_id)
       WHERE b.state IN ('ready', 'sending') AND f.state <> 'held'`,
    );
    expect(depth).toBe(6);
    expect(await card('To send').locator('.depth').innerText()).toBe(`${depth} batches`);
    expect(await ages()).toEqual(STAGES.map((stage) => [stage, '5 s']));
    world.clock.stopAt(new Date(now.getTime() + 50_000));
    await page.reload();
    expect(await ages()).toEqual(STAGES.map((stage) => [stage, '55 s']));
    world.clock.stopAt(new Date(now.getTime() + 60_000));
    await page.reload();
    expect(await ages()).toEqual(STAGES.map((stage) => [stage, '1 min']));
    world.clock.stopAt(new Date(now.getTime() + 300_000));
    await page.reload();
    expect(await card('Reconciling').innerText()).toContain('\n0 a minute');
  });
});

/** Returns the line of a list about this. */
function lineOf(page: Page, about: string): Locator {
  return page.getByRole('row').filter({ hasText: about });
}

function cardOf(page: Page, title: string): Locator {
  return page.locator('.stages > li').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
}
