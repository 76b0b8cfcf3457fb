import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findConfirmed } from '../../src/ledger/profile/read-profiles.ts';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { DUES_ANSWERS, DUES_SAMPLE } from '../web/support/answer-questions.ts';
import { openDashboardWorld } from '../web/support/dashboard-world.ts';
import { findViolations } from './support/dashboard-day.ts';
import { visitAs } from './support/furnished-dashboard.ts';

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

const FOLDER = { path: 'drop/dues', account: 'main', operation: 'ach-charge', profile: 'dues' };
const PHONE = { width: 360, height: 800 };

/** Each test continues where the last one ended. */
describe.runIf(chromiumIsInstalled())('a new profile in a browser without scripts', () => {
  const world = openedForTests(() =>
    openDashboardWorld({ account: { secondPerson: { profiles: false } }, settings: { folders: [FOLDER] } }),
  );
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await openChromium();
    const context = await browser.newContext({ viewport: PHONE });
    // What looks for obstacles is a script itself, so only those of the dashboard are kept away.
    await context.route('**/*.js', (route) => route.abort());
    context.setDefaultTimeout(20_000);
    page = await visitAs(context, world, { path: '/profiles', as: 'admin' });
  });
  afterAll(() => browser.close());

  /** Requires that all people can use the page, also on a phone. */
  async function mustBeUsable(): Promise<void> {
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  }

  it('begins with a file', async () => {
    await page.getByRole('link', { name: 'Make one from a file…' }).click();
    await mustBeUsable();
    const file = { name: 'june.csv', mimeType: 'text/csv', buffer: Buffer.from(DUES_SAMPLE) };
    await page.getByLabel('File of the accounting system').setInputFiles(file);
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('heading', { name: 'Columns', level: 1 }).waitFor();
  });

  it('asks until all is answered', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const heading = await page.getByRole('heading', { level: 1 }).textContent();
      if (heading === 'Preview') break;
      await mustBeUsable();
      for (const [about, label] of Object.entries(DUES_ANSWERS)) {
        const question = page.getByRole('group', { name: new RegExp(`^${about}( open)?$`) });
        if ((await question.count()) > 0)
          await question
            .getByRole('radio', { name: new RegExp(`^${label}`) })
            .first()
            .check();
      }
      await page.getByRole('button', { name: 'All looked at, go on' }).click();
    }
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Preview');
  });

  it('shows what is sent, and is confirmed by the total of the accounting system', async () => {
    await mustBeUsable();
    const row = page.getByRole('row').filter({ hasText: '1,210.00' }).first();
    expect(await row.textContent()).toBe('Amount1,210.00Amount: 1210.00');
    await page.getByRole('link', { name: 'I have looked at all of it' }).click();
    await mustBeUsable();
    await page.getByLabel('Number of payments in the accounting system').fill('6');
    await page.getByLabel('Their total in the accounting system').fill('7,410.00');
    await page.getByLabel('Type the name of the folder').fill('drop/dues');
    await page.getByLabel('Reason').fill('new export of June');
    await page.getByRole('button', { name: 'Confirm dues' }).click();
    await page.getByText('Confirmed: dues version 1').waitFor();
    expect(await findConfirmed(world.app.ledger.pool, 'dues')).toMatchObject({ sample_rows: 6, sample_cents: 741_000 });
  });

  it('is then on its page', async () => {
    await page.getByRole('link', { name: 'Back to profile dues' }).click();
    await page.getByRole('heading', { name: 'dues', level: 1 }).waitFor();
    await mustBeUsable();
    expect(await page.getByText('new export of June').count()).toBe(1);
  });
});
