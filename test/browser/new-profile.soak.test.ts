import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Config } from '../../schemas/config.ts';
import { EXPORT_SAMPLES, type ExportSample, renderExportSample } from '../../scripts/samples/export-samples.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../../src/cli/commands/sandbox.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { findConfirmed } from '../../src/ledger/profile/read-profiles.ts';
import type { Workers } from '../../workers/main.ts';
import {
  answersShown,
  countedOutcomes,
  EXPORTS,
  mustBeMasked,
  openExport,
  sumOf,
} from '../cli/profile/support/walk-export.ts';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { DUES_ANSWERS, DUES_SAMPLE } from '../web/support/answer-questions.ts';
import { openDashboardWorld } from '../web/support/dashboard-world.ts';
import { checkFile, dropChecked, findViolations, hastenPages, stateIs } from './support/dashboard-day.ts';
import { visitAs } from './support/furnished-dashboard.ts';

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

const FOLDER = { path: 'drop/dues', account: 'main', operation: 'ach-charge', profile: 'dues' };
const PHONE = { width: 360, height: 800 };

/** Accounts and folders as a person finds them in samples/. */
const { accounts, folders } = parseYaml(readFileSync(join(EXPORTS, 'paydrop.yaml'), 'utf8')) as Config;
const TAKEN_SOON = { complete: { by: 'quiet', quietMs: 20, probes: 2 } };

/** Answers may open further questions of their step; more turns than this mean that an answer is not taken. */
const MOST_TURNS = 12;

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

describe.runIf(chromiumIsInstalled())('an export of samples/ in a browser', () => {
  const world = openedForTests(() =>
    openDashboardWorld({
      accounts,
      settings: { folders: folders.map((folder) => ({ ...folder, ...TAKEN_SOON })) },
      sandbox: { accounts: readAccounts(SANDBOX_ACCOUNTS) },
    }),
  );
  let workers: Workers;
  let browser: Browser;
  let page: Page;
  /** Words of the pages of one sample. */
  let shown: string[] = [];
  /** Kinds of pages that all people can use. */
  const usable = new Set<string>();
  beforeAll(async () => {
    workers = await world.start();
    browser = await openChromium();
    const context = await browser.newContext({ baseURL: world.url });
    context.setDefaultTimeout(20_000);
    await hastenPages(context);
    page = await visitAs(context, world, { path: '/', as: 'admin' });
  });
  afterAll(async () => {
    await browser.close();
    await workers.stop();
  });

  /** Remembers what the page shows, and requires of the first page of a kind that all people can use it. */
  async function look(kind?: string): Promise<void> {
    shown.push(await wordsOn(page));
    const known = kind ?? (await title());
    if (usable.has(known)) return;
    usable.add(known);
    expect([known, await findViolations(page)]).toEqual([known, []]);
  }

  const title = async () => (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';

  async function begin(name: string, buffer: Buffer): Promise<void> {
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByRole('link', { name: 'Profiles', exact: true }).click();
    await page.getByRole('link', { name: 'Make one from a file…' }).click();
    await look();
    await page.getByLabel('Account and operation').selectOption(`drop/${name}`);
    await page
      .getByLabel('File of the accounting system')
      .setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('navigation', { name: 'Steps' }).waitFor();
  }

  /** Answers step after step as told; all else is as suggested. @returns what was asked of that which is told */
  async function answerAll(told: ReturnType<typeof answersShown>): Promise<Set<string>> {
    const asked = new Set<string>();
    for (let turn = 0; turn < MOST_TURNS && (await title()) !== 'Preview'; turn += 1) {
      await look();
      const open = new Set(await page.locator('legend').allInnerTexts());
      for (const [about, label] of told.filter(([one]) => open.has(`${one} open`))) {
        await choose(page, about, label);
        asked.add(about);
      }
      await page.getByRole('button', { name: 'All looked at, go on' }).click();
    }
    return asked;
  }

  async function confirm({ name, rows, total }: ExportSample): Promise<void> {
    await look();
    await page.getByRole('link', { name: 'I have looked at all of it' }).click();
    await look();
    await page.getByLabel('Number of payments in the accounting system').fill(String(rows));
    await page.getByLabel('Their total in the accounting system').fill(total);
    await page.getByLabel('Type the name of the folder').fill(`drop/${name}`);
    await page.getByLabel('Reason').fill('agrees with the report');
    await page.getByRole('button', { name: `Confirm ${name}` }).click();
    await page.getByText(`Confirmed: ${name} version 1 reads the files of drop/${name}.`).waitFor();
    await look('confirmed');
  }

  /** Drops the file, and waits on its page for the result. */
  async function drop(name: string, buffer: Buffer): Promise<void> {
    await checkFile(page, `drop/${name}`, `${name}.csv`, buffer);
    await page.getByText('Ready to send').first().waitFor();
    await look();
    await dropChecked(page, `${name}.csv`);
    await stateIs(page, 'completed', 'completed_with_declines');
    await look('file');
  }

  it.each(EXPORT_SAMPLES)('goes from its questions to its result: $name', async (sample) => {
    shown = [];
    const { name, rows, total, outcomes } = sample;
    const [buffer, told] = [contentOf(sample), answersShown(await openExport(sample), sample)];
    await begin(name, buffer);
    expect(await answerAll(told)).toEqual(new Set(told.map(([about]) => about)));
    expect(await title()).toBe('Preview');
    await confirm(sample);
    await drop(name, buffer);
    const sums = await cellsOf(page, 'Outcomes');
    expect(sumOf(sums.map((cells) => plainAmount(cells['Total']!)))).toBe(total);
    await page.goto(`${page.url()}?tab=payments`);
    await look();
    const results = await cellsOf(page, 'Rows');
    expect(new Set(results.map((cells) => cells['Line'])).size).toBe(rows);
    expect(sumOf(results.map((cells) => plainAmount(cells['Amount']!)))).toBe(total);
    expect(countedOutcomes(results.map((cells) => cells['Outcome']!))).toBe(outcomes);
    mustBeMasked(sample, shown.join('\n'));
  });
});

/** The samples keep their dates while the tests grow old. */
function contentOf(sample: ExportSample): Buffer {
  const year = String(systemClock.now().getUTCFullYear());
  return Buffer.from(renderExportSample(sample).toString('latin1').replaceAll('2026', year), 'latin1');
}

/** Chooses an answer to an open question. A label may go on with an example. */
async function choose(page: Page, about: string, label: string): Promise<void> {
  const question = page.getByRole('group', { name: `${about} open`, exact: true });
  const words = new RegExp(`^\\s*${escaped(label)}(, such as .*)?\\s*$`);
  const menu = question.getByRole('combobox');
  if ((await menu.count()) === 0) return question.getByRole('radio', { name: words }).check();
  await menu.selectOption(await question.locator('option', { hasText: words }).getAttribute('value'));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Returns all that a person can read or choose on a page, but for the hash of a file, which has any digits. */
async function wordsOn(page: Page): Promise<string> {
  const words = await page.evaluate(() => [
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('option')].map(({ text }) => text),
    ...[...document.querySelectorAll('input')].map(({ value }) => value),
    ...[...document.querySelectorAll('[aria-label], [title]')].map(
      (element) => `${element.getAttribute('aria-label')} ${element.getAttribute('title')}`,
    ),
  ]);
  return words.join('\n').replaceAll(/\b[0-9a-f]{32,}\b/g, '');
}

/** Returns the cells of each row of a table by their titles. */
async function cellsOf(page: Page, label: string): Promise<Record<string, string>[]> {
  const table = page.getByRole('group', { name: label, exact: true });
  const titles = await table.locator('thead th').allInnerTexts();
  const rows = await table.locator('tbody tr').all();
  const cells = await Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
  return cells.map((row) => Object.fromEntries(row.map((cell, place) => [titles[place]!, cell])));
}

/** Returns `1250.00` for `1,250.00 USD`. */
function plainAmount(shown: string): string {
  return shown.replaceAll(/[^\d.-]/g, '');
}
