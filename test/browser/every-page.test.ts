import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { findViolations } from './support/find-violations.ts';
import { type FurnishedDesk, openFurnishedDesk } from './support/furnished-desk.ts';
import { visitAs } from './support/visit-as.ts';

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

describe.runIf(chromiumIsInstalled())('every page of the desk', () => {
  let desk: FurnishedDesk;
  let browser: Browser;
  beforeAll(async () => {
    [desk, browser] = await Promise.all([openFurnishedDesk(), openChromium()]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await desk.close();
  });

  it.each([
    ['a desk in the light', 1280, 'light'],
    ['a desk in the dark', 1280, 'dark'],
    ['a phone', 360, 'light'],
  ] as const)(
    'keeps nobody from using it, on %s',
    async (_, width, colorScheme) => {
      const troubles: string[] = [];
      for (const { name, path, as } of desk.pages) {
        const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
        const page = await visitAs(context, desk, { path, as });
        troubles.push(...(await findViolations(page)).map((violation) => `${name}: ${violation}`));
        // A page that is wider than the screen must be pushed to and fro to be read.
        const widest = await page.evaluate(() => document.documentElement.scrollWidth);
        if (widest > width) troubles.push(`${name}: ${widest} wide on a screen of ${width}`);
        await context.close();
      }
      expect(troubles).toEqual([]);
    },
    180_000,
  );

  it('brings no fault of the script and nothing that the policy forbids', async () => {
    const troubles: string[] = [];
    const context = await browser.newContext();
    for (const { name, path, as } of desk.pages.filter((page) => page.as !== 'nobody')) {
      const page = await visitAs(context, desk, { path: '/me', as });
      page.on('pageerror', (error) => troubles.push(`${name}: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
          troubles.push(`${name}: ${message.text()}`);
      });
      await page.goto(desk.url + path, { waitUntil: 'load' });
      await page.close();
    }
    expect(troubles).toEqual([]);
  }, 120_000);
});
