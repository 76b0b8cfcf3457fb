import { readFile } from 'node:fs/promises';
import Papa from 'papaparse';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import readWorkbook from 'read-excel-file/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimForTest } from '../support/claim-for-test.ts';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { forceSql } from '../support/force-sql.ts';
import { claimOf } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { cardRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { openDashboardWorld } from '../web/support/dashboard-world.ts';
import { findViolations } from './support/dashboard-day.ts';
import { visitAs } from './support/furnished-dashboard.ts';

const FILES = 120;

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

/** Each is done by links and forms alone, so a browser without scripts does the same. */
describe.runIf(chromiumIsInstalled()).each([true, false])(
  'lists in a browser, with scripts: %s',
  (javaScriptEnabled) => {
    const world = openedForTests(openDashboardWorld);
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    beforeAll(async () => {
      for (const n of upTo(FILES))
        await claimForTest(
          world.app.ledger,
          claimOf({ account: 'main', name: `file-${String(n).padStart(3, '0')}.csv` }),
        );
      await forceSql(
        world.app,
        `UPDATE file SET valid_cents = 100 * (file_no * 37 % 50), state = 'held' WHERE file_no % 2 = 0`,
      );
      browser = await openChromium();
    });
    afterAll(() => browser.close());
    beforeEach(async () => {
      context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1440, height: 900 } });
      context.setDefaultTimeout(20_000);
      page = await visitAs(context, world, { path: '/files', as: 'viewer' });
    });
    afterEach(() => context.close());

    const amounts = async (at = page) =>
      (await at.locator('td.amount').allInnerTexts()).map((text) => Number(text.replace(/[^\d.-]/g, '') || 0));
    const heading = (name: string) => page.locator('th', { hasText: name });

    async function download(name: string): Promise<string> {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name, exact: true }).click(),
      ]);
      return file.path();
    }

    it('sort by a heading, the other way by a second click, over the border of a page', async () => {
      await heading('Total').getByRole('link').click();
      expect(await heading('Total').getAttribute('aria-sort')).toBe('descending');
      await heading('Total').getByRole('link').click();
      expect(await heading('Total').getAttribute('aria-sort')).toBe('ascending');
      const first = await amounts();
      expect(await page.locator('nav.pager').innerText()).toContain(`1 to 50 of ${FILES}`);
      await page.getByRole('link', { name: 'Next' }).click();
      const both = [...first, ...(await amounts())];
      expect(both).toHaveLength(100);
      expect(both).toEqual(both.toSorted((one, other) => one - other));
      await page.getByRole('link', { name: 'Previous' }).click();
      expect(await amounts()).toEqual(first);
    });

    it('are kept as a view by its person, and shared when they say so', async () => {
      await page.getByLabel('State').selectOption('held');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('Save this view').click();
      await page.getByLabel('Name of the view').fill(`Held ${javaScriptEnabled}`);
      await page.getByRole('button', { name: 'Save' }).click();
      const tab = page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('link', { name: `Held ${javaScriptEnabled}` });
      expect(await tab.getAttribute('aria-current')).toBe('page');
      expect(await page.locator('nav.pager').innerText()).toContain(`of ${FILES / 2}`);
      const other = await visitAs(context, world, { path: '/files', as: 'operator' });
      expect(await other.getByRole('navigation', { name: 'Views' }).innerText()).not.toContain('Held');
      if (javaScriptEnabled) expect(await findViolations(page)).toEqual([]);
    });

    it('are exported line by line as they are filtered and sorted', async () => {
      await page.goto(`${world.url}/files?state=held&sort=name`);
      const shown = await page.locator('td.name').allInnerTexts();
      const text = await readFile(await download('CSV'), 'utf8');
      const { data } = Papa.parse<string[]>(text.slice(1), { newline: '\r\n', skipEmptyLines: true });
      expect(data).toHaveLength(FILES / 2 + 1);
      expect(data.slice(1, 51).map((cells) => cells[1])).toEqual(shown);
      const [sheet] = await readWorkbook(await download('Excel'));
      const rows = sheet!.data as unknown[][];
      expect(rows.slice(1).map((cells) => cells[1])).toEqual(data.slice(1).map((cells) => cells[1]));
      const total = rows[0]!.indexOf('Total');
      expect(rows.slice(1).every((cells) => typeof cells[total] === 'number')).toBe(true);
    });

    it('have times in the zone that their person chose', async () => {
      await page.goto(`${world.url}/me`);
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.goto(`${world.url}/files`);
      const titles = await page
        .locator('td time')
        .evaluateAll((times) => times.map((time) => time.getAttribute('title')));
      expect(titles).toHaveLength(50);
      for (const title of titles) expect(title).toMatch(/ Tokyo · .* UTC$/);
      await forceSql(world.app, `UPDATE person SET settings = '{}'`);
    });
  },
);

describe.runIf(chromiumIsInstalled()).each([true, false])(
  'the page of a payment in a browser, with scripts: %s',
  (javaScriptEnabled) => {
    const world = openedForTests(openDashboardWorld);
    let browser: Browser;
    beforeAll(async () => {
      const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
      await world.drop('card', 'june.csv', lines([cardRow(1), declined]));
      await world.finish();
      browser = await openChromium();
    });
    afterAll(() => browser.close());

    it('shows both tries of a row that was sent again in one timeline, and leads from each to the other', async () => {
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1440, height: 900 } });
      context.setDefaultTimeout(20_000);
      const page = await visitAs(context, world, { path: '/payments', as: 'operator' });
      await page.getByRole('link', { name: 'C-2' }).click();
      const first = page.url();
      await page.getByRole('link', { name: 'Send again' }).click();
      await page.getByLabel('Reason').fill('the card is good now');
      await page.getByRole('button', { name: /^Resubmit|^Send/ }).click();
      await world.finish();
      await page.goto(first);
      const story = page.locator('ol.timeline');
      expect(await story.locator('.state', { hasText: 'Received' }).count()).toBe(2);
      expect(await story.locator('.state', { hasText: 'Declined' }).count()).toBe(2);
      await story.getByRole('link', { name: 'Open this try' }).first().click();
      expect(page.url()).not.toBe(first);
      expect(await page.getByLabel('Text to copy').inputValue()).toContain('2.00 USD for invoice C-2 was declined');
      expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(javaScriptEnabled);
      await story.getByRole('link', { name: 'Open this try' }).first().click();
      expect(page.url()).toBe(first);
      if (javaScriptEnabled) expect(await findViolations(page)).toEqual([]);
      await context.close();
    });
  },
);
