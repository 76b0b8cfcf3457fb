import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { cardRow, lines } from '../support/payment-rows.ts';
import { pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { openDashboardWorld, PASSWORD } from '../web/support/dashboard-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

describe('keyboard', () => {
  const verdict = chromiumVerdict();
  it(verdict.sentence, () => {
    expect(verdict.isFine).toBe(true);
  });

  /** Nothing here uses a mouse. Each test continues where the last one ended. */
  describe.runIf(chromiumIsInstalled())('the dashboard by keyboard', () => {
    const world = openedForTests(openDashboardWorld);
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      await world.drop('card', 'held.csv.ctl', 'rows=99\n');
      await world.drop('card', 'held.csv', lines([cardRow(1), cardRow(2)]));
      await world.finish();
      browser = await openChromium();
      const context = await browser.newContext({ baseURL: world.url });
      context.setDefaultTimeout(20_000);
      page = await context.newPage();
    });
    afterAll(() => browser.close());

    /** Presses Tab until the focused element has this name. */
    async function tabTo(name: RegExp): Promise<void> {
      const passed: string[] = [];
      for (let steps = 0; steps < 120; steps += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const element = document.activeElement as HTMLElement | null;
          const label = element && 'labels' in element ? (element as HTMLInputElement).labels?.[0]?.textContent : '';
          return `${element?.getAttribute('aria-label') ?? ''} ${label ?? ''} ${element?.textContent ?? ''}`.trim();
        });
        if (name.test(focused)) return;
        passed.push(focused.slice(0, 40));
      }
      throw new Error(`the keyboard does not get to ${name}; it passed ${passed.join(' | ')}`);
    }

    async function pressOn(name: RegExp): Promise<void> {
      await tabTo(name);
      await page.keyboard.press('Enter');
    }

    /** Presses Enter on what leads to another page, and waits for that page. */
    async function goOn(name: RegExp): Promise<void> {
      await tabTo(name);
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    }

    it('logs in', async () => {
      await page.goto('/');
      await tabTo(/^Name/);
      await page.keyboard.type('approver');
      await tabTo(/^Password/);
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    });

    it('skips what stands at the head of every page', async () => {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Skip to the content');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    });

    it('shows where the focus is', async () => {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
      expect(outline).not.toBe('none');
    });

    it('goes by keys to search and to other pages, but not while a field is typed in', async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('g f');
      expect(await page.locator('#top-search').inputValue()).toBe('g f');
      await page.locator('#main').focus();
      await page.keyboard.type('gf');
      await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
      await page.keyboard.press('Shift+?');
      await page.getByRole('heading', { name: 'Keyboard', level: 1 }).waitFor();
    });

    it('leaves single keys alone once they are switched off', async () => {
      await tabTo(/^Use single keys/);
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Space')]);
      await page.keyboard.type('gt');
      await page.keyboard.press('Control+k');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('top-search');
      await page.locator('#single-keys').focus();
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Space')]);
      await page.keyboard.type('gt');
      await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    });

    it('finds the held file and approves it', async () => {
      await page.reload();
      await goOn(/^held\.csv$/);
      await page.getByRole('heading', { name: 'held.csv', level: 1 }).waitFor();
      await goOn(/^Review and approve…$/);
      await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
      await tabTo(/^Reason/);
      await page.keyboard.type('the sender counts again');
      await goOn(/^Approve 2 rows/);
      await expect.poll(() => world.states()).toEqual({ 'held.csv': 'accepted' });
    });

    it('checks a file and drops it', async () => {
      await page.context().clearCookies();
      await page.goto('/drop');
      await tabTo(/^Name/);
      await page.keyboard.type('operator');
      await tabTo(/^Password/);
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Upload file', level: 1 }).waitFor();
      await tabTo(/^Account and operation/);
      await page.keyboard.type('main: card');
      // The file chooser belongs to the system, so the test sets its result.
      const file = { name: 'typed.csv', mimeType: 'text/csv', buffer: Buffer.from(lines([cardRow(11), cardRow(12)])) };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('heading', { name: 'typed.csv', level: 2 }).waitFor();
      await pressOn(/^Drop it: typed\.csv/);
      await page
        .getByText(/^Received\. /)
        .first()
        .waitFor();
      await world.finish();
      await page.getByRole('link', { name: 'Open the file' }).waitFor();
      await goOn(/^Open the file$/);
      await page.getByRole('heading', { name: 'typed.csv', level: 1 }).waitFor();
      expect(await world.states()).toMatchObject({ 'typed.csv': 'completed' });
    });

    it('goes through a batch in doubt', async () => {
      world.sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
      await world.drop('card', 'doubt.csv', lines([cardRow(21), cardRow(22)]));
      await world.finish();
      await page.goto('/');
      await goOn(/^doubt\.csv, batch 1$/);
      await goOn(/^Resolve it step by step$/);
      await goOn(/^Look for its batch id…$/);
      await tabTo(/^First batch id/);
      const first = await page.evaluate(() => Number((document.activeElement as HTMLInputElement).value));
      await tabTo(/^Last batch id/);
      // Tab selects the content of an input. Each id is queried after a pause, so the test queries only a few.
      await page.keyboard.type(String(first + 3));
      await goOn(/^Ask for these ids$/);
      await goOn(/^Enter batch id/);
      await tabTo(/^Reason/);
      await page.keyboard.type('its rows fit');
      await goOn(/^Enter \d/);
      await page
        .getByText(/Every row matches/)
        .first()
        .waitFor();
      await world.finish();
      expect(await world.states()).toMatchObject({ 'doubt.csv': 'completed' });
    });

    it('keeps its place while the page changes around it', async () => {
      await page.goto('/');
      await tabTo(/^The same as a table/);
      await page.keyboard.press('Enter');
      const because = { actor: 'operator:ada', reason: 'to see the page change' };
      for (const move of [pauseAccount, resumeAccount, pauseAccount, resumeAccount, pauseAccount]) {
        await move(world.app.ledger, 'main', because);
        const told = page.locator('main').getByText(because.reason);
        await told.first().waitFor({ state: move === pauseAccount ? 'visible' : 'detached' });
        const [isOpen, focused] = await page.evaluate(() => [
          document.querySelector('main details')?.hasAttribute('open'),
          document.activeElement?.textContent,
        ]);
        expect([isOpen, focused]).toEqual([true, 'The same as a table']);
      }
      await page.locator('nav').getByText('sending is stopped').waitFor({ state: 'attached' });
      await resumeAccount(world.app.ledger, 'main', because);
    });

    it('counts in the title what needs attention, and shows a notice of more once it is asked for', async () => {
      await page.addInitScript(() => {
        const shown: string[] = [];
        class Notice extends EventTarget {
          static readonly permission = 'granted';
          static readonly requestPermission = async () => 'granted';
          constructor(title: string, { body }: { body: string }) {
            super();
            shown.push(`${title}: ${body}`);
          }
        }
        Object.assign(globalThis, { Notification: Notice, shown });
      });
      const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
      const because = { actor: 'operator:ada', reason: 'to see the notice' };
      await page.goto('/');
      await pauseAccount(world.app.ledger, 'main', because);
      await expect.poll(() => page.title()).toBe('(1) Today · paydrop');
      expect(await shown()).toEqual([]);
      await resumeAccount(world.app.ledger, 'main', because);
      await page.goto('/me');
      await pressOn(/^Show notices$/);
      await page.getByRole('button', { name: 'Stop showing notices' }).waitFor();
      await page.goto('/');
      expect(await page.title()).toBe('Today · paydrop');
      await pauseAccount(world.app.ledger, 'main', because);
      await expect.poll(() => shown()).toEqual(['paydrop: 1 thing needs attention.']);
      await resumeAccount(world.app.ledger, 'main', because);
      await expect.poll(() => page.title()).toBe('Today · paydrop');
      expect(await shown()).toHaveLength(1);
    });

    it('keeps more tabs up to date than a browser opens connections, and none that is paused', async () => {
      const streams: string[] = [];
      page.context().on('request', (request) => request.url().endsWith('/live') && streams.push(request.url()));
      const tabs = [];
      for (let opened = 0; opened < 8; opened += 1) tabs.push(await page.context().newPage());
      for (const tab of tabs) await tab.goto('/');
      const [paused, ...others] = tabs;
      await paused!.getByLabel('Pause updates').check();
      const because = { actor: 'operator:ada', reason: 'all tabs show this' };
      await pauseAccount(world.app.ledger, 'main', because);
      const told = (tab: Page) => tab.locator('main').getByText(because.reason).first();
      for (const tab of others) {
        // A tab in the background waits until it is seen.
        await tab.bringToFront();
        await told(tab).waitFor();
      }
      expect(await told(paused!).count()).toBe(0);
      await paused!.bringToFront();
      await paused!.getByLabel('Pause updates').uncheck();
      await told(paused!).waitFor();
      expect(streams).toEqual([]);
      // The tab with the stream is closed, and another one goes on with it.
      await page.goto('about:blank');
      await others[0]!.bringToFront();
      await resumeAccount(world.app.ledger, 'main', because);
      await told(others[0]!).waitFor({ state: 'detached' });
      expect(streams).toHaveLength(1);
      for (const tab of tabs) await tab.close();
    });

    it('scrolls a table that is wider than the screen', async () => {
      await page.setViewportSize({ width: 360, height: 700 });
      await page.goto('/audit');
      await tabTo(/audit|links|steps|trail/i);
      const table = page.locator('.scroll').first();
      await table.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => table.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    });
  });
});
