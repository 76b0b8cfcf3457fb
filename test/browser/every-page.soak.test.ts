import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { findViolations } from './support/find-violations.ts';
import { type FurnishedDashboard, openFurnishedDashboard, pageNames, visitAs } from './support/furnished-dashboard.ts';

const SHAPES = [
  { shape: 'a dashboard in the light', width: 1280, colorScheme: 'light' },
  { shape: 'a dashboard in the dark', width: 1280, colorScheme: 'dark' },
  { shape: 'a phone', width: 360, colorScheme: 'light' },
] as const;

/** Shows pages to a browser in each shape, and listens for complaints of their scripts. */
export function testPages(names: readonly string[]): void {
  const verdict = chromiumVerdict();
  it(verdict.sentence, () => {
    expect(verdict.isFine).toBe(true);
  });

  describe.runIf(chromiumIsInstalled())('a page of the dashboard', () => {
    let dashboard: FurnishedDashboard;
    let browser: Browser;
    let inside: BrowserContext;
    let outside: BrowserContext;
    let complaints: string[] = [];
    beforeAll(async () => {
      [dashboard, browser] = await Promise.all([openFurnishedDashboard(), openChromium()]);
      [inside, outside] = await Promise.all([browser.newContext(), browser.newContext()]);
      for (const context of [inside, outside]) {
        context.on('weberror', (error) => complaints.push(error.error().message));
        context.on('console', (message) => {
          if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
        });
      }
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await dashboard.close();
    });

    it.each(names)(
      '%s keeps nobody from using it, on a dashboard or a phone, and brings no fault of the script and nothing that the policy forbids',
      async (name) => {
        const { path, as } = dashboard.pages.find((one) => one.name === name)!;
        complaints = [];
        const page = await visitAs(as === 'nobody' ? outside : inside, dashboard, { path, as });
        expect(complaints).toEqual([]);
        const troubles: string[] = [];
        // The shapes differ only in what the style sheet does, so the page need not be reloaded.
        for (const { shape, width, colorScheme } of SHAPES) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          troubles.push(...(await findViolations(page)).map((violation) => `${shape}: ${violation}`));
          // A page wider than the screen must be scrolled sideways to be read.
          const widest = await page.evaluate(() => document.documentElement.scrollWidth);
          if (widest > width) troubles.push(`${shape}: ${widest} wide on a screen of ${width}`);
        }
        expect(troubles).toEqual([]);
        await page.close();
      },
      60_000,
    );
  });
}

testPages(pageNames());
