import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import axeCore from 'axe-core';
import type { Workers } from '../../../workers/main.ts';
import { offerSetUp } from '../../../src/ledger/person/invite-person.ts';
import type { Shown } from '../../../schemas/shown.ts';
import { newLink } from '../../../src/actions/new-link.ts';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../../support/chromium.ts';
import { cardRow, codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld } from '../../web/support/dashboard-world.ts';

const PASSWORD = 'four words nobody guesses';

/** Plays a day at the dashboard in a real browser. Each step continues where the last one ended. */
export function testDay(): void {
  const verdict = chromiumVerdict();
  it(verdict.sentence, () => {
    expect(verdict.isFine).toBe(true);
  });
  describe.runIf(chromiumIsInstalled())('a day on the dashboard', walkThrough);
}

function walkThrough(): void {
  let world: DashboardWorld;
  let workers: Workers;
  let browser: Browser;
  let ann: Page;
  let bob: Page;
  let setUpPath: string;
  beforeAll(async () => {
    world = await openDashboardWorld({
      people: 'nobody',
      account: { secondPerson: { refunds: true, overrides: false, resolutions: false } },
      sandbox: { refundsMayExceed: true },
      // The first person creates the second on the same day.
      settings: { newcomerDays: 0 },
    });
    workers = await world.start();
    const { token, link } = newLink(world.app.clock.now());
    await offerSetUp(world.app.ledger, link, { actor: 'operator:test', reason: 'first start' });
    setUpPath = `/set-up/${token}`;
    browser = await openChromium();
    ann = await newPerson();
    bob = await newPerson();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await workers.stop();
    await world.close();
  });

  async function newPerson(): Promise<Page> {
    const context = await browser.newContext({ baseURL: world.url });
    context.setDefaultTimeout(120_000);
    await hastenPages(context);
    return context.newPage();
  }

  async function choosePassword(page: Page, button: string): Promise<void> {
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Repeat the password').fill(PASSWORD);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
  }

  const check = (name: string, operation: string, content: string) =>
    checkFile(ann, `main: ${operation}`, name, Buffer.from(content));
  const drop = (name: string) => dropChecked(ann, name);
  const searchBox = () => ann.getByRole('searchbox', { name: 'Invoice, amount, day, file or batch id' });
  const searchFor = async (words: string) => {
    await searchBox().fill(words);
    await ann.keyboard.press('Enter');
    await ann.getByRole('heading', { name: `Search for ${words}`, exact: true }).waitFor();
  };

  it('begins with the set-up link, and goes on with the log-in', async () => {
    await ann.goto(setUpPath);
    await ann.getByLabel('Your name here').fill('ann');
    await choosePassword(ann, 'Set up');
    await ann.getByRole('button', { name: 'Log out' }).click();
    await ann.getByLabel('Name').fill('ann');
    await ann.getByLabel('Password').fill(PASSWORD);
    await ann.getByRole('button', { name: 'Log in' }).click();
    await ann.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
  });

  it('lets a second person in', async () => {
    await ann.getByRole('link', { name: 'Users' }).click();
    await ann.getByLabel('Name').fill('bob');
    await ann.getByLabel('Role', { exact: true }).last().selectOption('approver');
    await ann.getByLabel('Reason', { exact: true }).last().fill('checks what I make');
    // As by a double click: it is sent once, and the link is shown.
    const stopped = await ann.getByRole('button', { name: 'Make a link' }).evaluate((button: HTMLButtonElement) => {
      const found: boolean[] = [];
      addEventListener('submit', ({ defaultPrevented }) => found.push(defaultPrevented));
      for (let click = 0; click < 2; click += 1) button.form!.requestSubmit();
      return found;
    });
    expect(stopped).toEqual([false, true]);
    const link = await ann.getByText(/http:\S+\/set-up\//).textContent();
    await bob.goto(link!);
    await choosePassword(bob, 'Save this password');
  });

  it('shows the faults of a file before it is dropped', async () => {
    await check('monday.csv', 'card', lines([cardRow(1), cardRow(2, { amount: '$5' })]));
    const fault = ann.getByRole('row').filter({ hasText: 'AMOUNT_FORMAT' });
    await fault.waitFor();
    expect(await fault.textContent()).toMatch(/^2/);
    expect(await findViolations(ann)).toEqual([]);
    expect(await ann.getByRole('heading', { name: 'Held' }).count()).toBe(0);
    expect(world.sandbox.books()).toEqual([]);
    expect(await world.states()).toEqual({});
  });

  it('takes the corrected file to its result, which is downloaded', async () => {
    await check('monday.csv', 'card', lines(upTo(3).map((n) => cardRow(n))));
    await drop('monday.csv');
    // The page updates by itself; nothing reloads it.
    await stateIs(ann, 'completed');
    const [download] = await Promise.all([
      ann.waitForEvent('download'),
      ann.getByRole('link', { name: 'Download results' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^monday__\w{8}\.result\.csv$/);
    const result = await readFile(await download.path(), 'utf8');
    expect(result.match(/APPROVED/g)).toHaveLength(3);
    expect(result).not.toContain('4222222222222220');
  });

  it('says what happened to an invoice, by type and Enter, and leads to the payment', async () => {
    for (const words of ['c-2', 'C-2', '2220 25.00']) {
      await searchFor(words);
      const row = ann.getByRole('row').filter({ hasText: 'monday.csv, line 2' });
      expect(await row.textContent(), words).toMatch(/^C-2.*25\.00.*Approved.*Charged or refunded/);
      expect(await row.getByRole('link').first().getAttribute('href')).toMatch(/^\/payments\/\w+\/2$/);
    }
  });

  it('asks for more than the last four digits of a card, and sends no whole number anywhere', async () => {
    await searchFor('2220');
    await ann.getByText('add the amount, a day or an account').waitFor();
    // Without the origin: its port is the system's choice, and may hold any digits.
    const asked: string[] = [];
    ann.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      asked.push(pathname + search);
    });
    await searchBox().fill('4222 2222 2222 2220');
    await ann.keyboard.press('Enter');
    expect(await searchBox().evaluate((box: HTMLInputElement) => box.validity.patternMismatch)).toBe(true);
    await searchFor('C-2');
    expect(asked.some((address) => address.startsWith('/search?q=C-2'))).toBe(true);
    expect(asked.join('\n')).not.toMatch(/4222/);
  });

  it('holds a refund until a second person agrees', async () => {
    await check('refunds.csv', 'ach-refund', lines(upTo(2).map((n) => codeRow(n, { amount: '-10.00' }))));
    await drop('refunds.csv');
    await stateIs(ann, 'needs_approval');
    await ann.getByText('More actions').click();
    await ann.getByRole('link', { name: 'Approve…' }).click();
    await ann.getByLabel('Reason').fill('agreed with the customers');
    await ann.getByRole('button', { name: /approve/i }).click();
    await bob.goto('/approvals');
    expect(await bob.getByText('agreed with the customers').count()).toBe(1);
    await bob.getByRole('button', { name: /^Confirm/ }).click();
    await ann.goto('/files');
    await ann.getByRole('link', { name: 'refunds.csv' }).click();
    await stateIs(ann, 'completed');
    expect(world.sandbox.books().filter(({ amountCents }) => amountCents === -1_000)).toHaveLength(2);
  });

  it('resolves a batch in doubt, step by step', async () => {
    world.sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
    await check('tuesday.csv', 'card', lines(upTo(2).map((n) => cardRow(20 + n))));
    await drop('tuesday.csv');
    await ann.goto('/');
    const line = ann.getByRole('row').filter({ hasText: 'tuesday.csv, batch 1' });
    await line.getByText('In doubt').waitFor();
    await line.getByRole('link', { name: 'Resolve' }).click();
    await ann.getByRole('link', { name: 'Look for its batch id…' }).click();
    // Each id is queried after a pause, so the test queries only the first few of those proposed.
    const first = Number(await ann.getByLabel('First batch id').inputValue());
    await ann.getByLabel('Last batch id').fill(String(first + 3));
    await ann.getByRole('button', { name: 'Ask for these ids' }).click();
    await ann.getByRole('link', { name: /^Enter batch id/ }).waitFor();
    expect(await findViolations(ann)).toEqual([]);
    await ann.getByRole('link', { name: /^Enter batch id/ }).click();
    await ann.getByLabel('Reason').fill('its rows fit');
    await ann.getByRole('button', { name: /^Enter \d/ }).click();
    await ann.goto('/files');
    await ann.getByRole('link', { name: 'tuesday.csv' }).click();
    await stateIs(ann, 'completed');
    expect(world.sandbox.books().filter(({ invoice }) => invoice === 'C-21')).toHaveLength(1);
  });

  it('finds all of it in the audit trail, which is whole', async () => {
    await ann.getByRole('link', { name: 'Audit', exact: true }).click();
    expect(await ann.getByRole('row').filter({ hasText: 'its rows fit' }).count()).toBeGreaterThan(0);
    await ann.getByRole('button', { name: 'Check the whole trail' }).click();
    await ann
      .getByText(/is complete/)
      .first()
      .waitFor();
  });
}

/**
 * Checks a file on the page and waits for the verdict.
 * @param folder its id, or its account and operation as the page lists them
 */
export async function checkFile(page: Page, folder: string, name: string, buffer: Buffer): Promise<void> {
  await page.goto('/drop');
  await page.getByLabel('Account and operation').selectOption(folder);
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await page.getByRole('heading', { name, level: 2 }).waitFor();
}

/** Drops the checked file, and follows it to its page. */
export async function dropChecked(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^Drop it.*: ${name}`) }).click();
  await page.getByRole('link', { name: 'Open the file' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Waits until the page of a file shows that it stands in one of these ways. */
export async function stateIs(page: Page, ...shown: Shown[]): Promise<void> {
  const badges = shown.map((each) => `.facts [data-state="${each}"]`);
  await page.locator(badges.join(', ')).first().waitFor();
}

/** How much faster the waits of a page end, such as the one before it asks again where a file is. */
const HASTE = 20;

/** Speeds up pages that are tested for what they do, not for when. */
export async function hastenPages(context: BrowserContext): Promise<void> {
  await context.addInitScript((haste) => {
    const wait = window.setTimeout.bind(window);
    window.setTimeout = ((call: () => void, ms = 0) => wait(call, ms / haste)) as typeof window.setTimeout;
  }, HASTE);
}

/** Returns what keeps people from using a page, as axe-core finds it: the rule and the elements that break it. */
export async function findViolations(page: Page): Promise<string[]> {
  // The browser itself evaluates it, so the policy of the page need not allow it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Found> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} (${failureSummary ?? ''})`),
    );
  });
}
