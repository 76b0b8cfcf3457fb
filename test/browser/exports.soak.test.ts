import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { parse as parseYaml } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../schemas/config.ts';
import { EXPORT_SAMPLES, type ExportSample, renderExportSample } from '../../scripts/samples/export-samples.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../../src/cli/commands/sandbox.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Workers } from '../../workers/main.ts';
import {
  answersShown,
  countedOutcomes,
  EXPORTS,
  exportedCells,
  openExport,
  sumOf,
} from '../cli/profile/support/walk-export.ts';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { openDashboardWorld } from '../web/support/dashboard-world.ts';
import { checkFile, dropChecked, findViolations, hastenPages, stateIs } from './support/dashboard-day.ts';
import { visitAs } from './support/furnished-dashboard.ts';

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

/** Accounts and folders as a person finds them in samples/. */
const { accounts, folders } = parseYaml(readFileSync(join(EXPORTS, 'paydrop.yaml'), 'utf8')) as Config;
const TAKEN_SOON = { complete: { by: 'quiet', quietMs: 20, probes: 2 } };

/** Which cell of a line has the number of a bank account. Card numbers are known by their length. */
const ACCOUNT_CELLS: Partial<Record<ExportSample['name'], number>> = { sage: 9, bank: 3 };

/** Answers may open further questions of their step; more turns than this mean that an answer is not taken. */
const MOST_TURNS = 12;

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
    await page.goto(`${page.url()}/rows`);
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

/** Requires that the last four digits of all cards and accounts are on the pages, and no five of their digits. */
function mustBeMasked(sample: ExportSample, words: string): void {
  const secrets = secretsOf(sample);
  expect(secrets.length > 0).toBe(!('column:customerCode' in sample.answers));
  for (const secret of secrets) expect(words).toContain(secret.slice(-4));
  expect(words).not.toMatch(partsOf(secrets));
}

/** Returns the whole numbers of cards and accounts in an export. */
function secretsOf(sample: ExportSample): string[] {
  const cells = exportedCells(sample).flatMap((row) =>
    row.map((cell, place) => ({
      digits: cell.replaceAll(/[ -]/g, ''),
      isAccount: place === ACCOUNT_CELLS[sample.name],
    })),
  );
  return cells
    .filter(({ digits, isAccount }) => (isAccount ? /^\d+$/ : /^\d{12,}$/).test(digits))
    .map(({ digits }) => digits);
}

/** Matches any five digits in a row of these numbers, also with blanks or dashes between them. */
function partsOf(numbers: readonly string[]): RegExp {
  const parts = numbers.flatMap((number) => [...number].slice(4).map((_, at) => number.slice(at, at + 5)));
  return new RegExp([...new Set(parts)].map((part) => [...part].join('[ -]?')).join('|') || '(?!)');
}
