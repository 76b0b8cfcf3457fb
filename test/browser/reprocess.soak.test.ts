import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listAudit } from '../../src/ledger/overview/list-audit.ts';
import { listRuns } from '../../src/ledger/reprocess/judge-items.ts';
import { recordResubmission } from '../../src/ledger/row/resubmissions.ts';
import { chromiumIsInstalled, chromiumVerdict, openChromium } from '../support/chromium.ts';
import { forceSql } from '../support/force-sql.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { cardRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { fileNamed } from '../web/support/action-page.ts';
import { openDashboardWorld } from '../web/support/dashboard-world.ts';
import { startWorker } from '../support/daemon.ts';
import { findViolations, hastenPages } from './support/dashboard-day.ts';
import { visitAs } from './support/furnished-dashboard.ts';

const FILES = 9;
/** The numbers of the payments of a file. The first has nine, the others four. */
const ofFile = (n: number) => upTo(n === 1 ? 9 : 4).map((row) => 10 * n + row);
const ALL = upTo(FILES).flatMap(ofFile);
const ROWS = ALL.length;
const LATE = 201;
const centsOf = (n: number) => 200 + (n % 7);
/** The sum of payments, as the dashboard says it. */
const sumOf = (numbers: readonly number[]) => toUnits(numbers.reduce((sum, n) => sum + centsOf(n), 0));
const toUnits = (cents: number) => (cents / 100).toFixed(2);
/** How many of the new files the worker writes before it is killed. */
const FILES_BEFORE_DEATH = 3;
const LIST = '/queue?list=again&advice=all';

const verdict = chromiumVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

/** The steps of a group build on each other. A browser without scripts does the same. */
describe.runIf(chromiumIsInstalled()).each([true, false])(
  'payments that are sent again in a browser, with scripts: %s',
  (javaScriptEnabled) => {
    const world = openedForTests(() =>
      openDashboardWorld({
        folder: { sameTotals: 'off' },
        settings: { reprocess: { secondPersonAbove: { payments: ROWS - 1, money: 1_000 } } },
      }),
    );
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    beforeAll(async () => {
      for (const n of upTo(FILES)) await dropDeclined(`file-${n}.csv`, ofFile(n));
      await finishLater();
      browser = await openChromium();
      context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1440, height: 900 } });
      context.setDefaultTimeout(60_000);
      await hastenPages(context);
      page = await visitAs(context, world, { path: '/', as: 'admin' });
    }, 120_000);
    afterAll(() => browser.close());

    const dropDeclined = (name: string, numbers: readonly number[]) =>
      world.drop(
        'card',
        name,
        lines(numbers.map((n) => cardRow(n, { card: MAGIC_CARD, amount: toUnits(centsOf(n)) }))),
      );

    /** Another person has payments of the first file sent again by hand. */
    async function sendByHand(places: readonly number[]): Promise<void> {
      const file = await fileNamed(world, 'file-1.csv');
      const order = { name: 'again.csv', sha256: 'a', lines: places, cents: 200 };
      await recordResubmission(world.app.ledger, file, order, { actor: 'operator:bob', reason: 'by hand' });
      await forceSql(world.app, 'UPDATE resubmission SET new_file_id = file_id');
    }

    /** Ends what was dropped. Each payment is declined with a code that allows another try. */
    async function finishLater(): Promise<void> {
      await world.finish();
      await forceSql(world.app, `UPDATE row_outcome SET code = 14 WHERE outcome = 'declined'`);
    }

    const words = () => page.locator('main').innerText();
    const reprocess = () => page.getByRole('button', { name: /^Reprocess/ });
    const countSentAgain = async () => {
      const { rows } = await world.app.ledger.pool.query('SELECT count(*)::int AS sent FROM resubmitted_row');
      return rows[0].sent as number;
    };

    async function giveReason(reason = 'the line to the bank is up again'): Promise<void> {
      await page.getByLabel('Reason').fill(reason);
    }

    it('are listed for all files, and ticked one by one', async () => {
      await page.goto(world.url + LIST);
      const files = await page.locator('tbody tr td a[href^="/files/"]').allInnerTexts();
      expect(new Set(files.map((text) => /^file-\d/.exec(text)?.[0]).filter(Boolean)).size).toBe(FILES);
      const three = [11, 21, 91];
      for (const n of three) await page.getByLabel(`Select C-${n}`, { exact: true }).check();
      if (javaScriptEnabled) {
        expect((await page.locator('.select-bar').innerText()).replaceAll(/\s+/g, ' ')).toBe(
          `Reprocess 3… ${sumOf(three)} USD`,
        );
        expect(await findViolations(page)).toEqual([]);
      }
      await reprocess().click();
      expect(await words()).toContain(`Sends 3 rows, ${sumOf(three)} USD of account main of 3 files again`);
      for (const name of ['file-1.csv', 'file-2.csv', 'file-9.csv']) expect(await words()).toContain(name);
      if (javaScriptEnabled) expect(await findViolations(page)).toEqual([]);
      expect(await countSentAgain()).toBe(0);
    });

    it('are not sent again without a reason, which then has the focus', async () => {
      await giveReason(' ');
      await reprocess().click();
      expect(await page.getByRole('alert').innerText()).toContain('There is a problem');
      await page.locator('input[name="reason"]:focus').waitFor();
      expect(await countSentAgain()).toBe(0);
      await page.getByRole('link', { name: 'Back to where you were' }).click();
      expect(page.url()).toBe(world.url + LIST);
    });

    it('are refused when nothing is ticked', async () => {
      for (const box of await page.locator('[name="item"]:checked').all()) await box.uncheck();
      await reprocess().click();
      expect(await words()).toContain('nothing is ticked');
      await page.goBack();
      expect(page.url()).toBe(world.url + LIST);
    });

    it('are never in doubt, even if a box is forged', async () => {
      const file = await fileNamed(world, 'file-3.csv');
      await forceSql(world.app, `UPDATE batch SET state = 'unknown', reason = 'reset' WHERE file_id = $1`, [
        file.file_id,
      ]);
      await page.goto(`${world.url}/queue?list=doubt`);
      expect(await page.getByRole('link', { name: 'Resolve', exact: true }).count()).toBe(1);
      expect(await page.locator('[name="item"]').count()).toBe(0);
      const count = (await listRuns(world.app.ledger, 100)).length;
      const token = (await page.locator('meta[name="csrf"]').getAttribute('content'))!;
      const form = { _csrf: token, item: `batch:${file.file_id}/1` };
      expect((await context.request.post(`${world.url}/queue/selections`, { form })).status()).toBe(409);
      expect(await listRuns(world.app.ledger, 100)).toHaveLength(count);
      await forceSql(world.app, `UPDATE batch SET state = 'reconciled' WHERE file_id = $1`, [file.file_id]);
      await page.goto(world.url + LIST);
    });

    it('name in the plan what another person had sent again since the list was shown', async () => {
      const three = [11, 15, 19];
      await page.getByLabel(`All ${ROWS} in this list`).check();
      await sendByHand([1, 5, 9]);
      await reprocess().click();
      const rest = ALL.filter((n) => !three.includes(n));
      expect(rest).toHaveLength(38);
      expect(await words()).toContain(`38 rows, ${sumOf(rest)} USD of account main of ${FILES} files`);
      expect(await words()).toContain(`Left out: 3 rows, ${sumOf(three)} USD: already resubmitted by bob.`);
      await forceSql(world.app, 'DELETE FROM resubmitted_row');
      await forceSql(world.app, 'DELETE FROM resubmission');
      await page.goto(world.url + LIST);
    });

    it('get a new plan with the difference when another person was faster', async () => {
      await page.getByLabel(`All ${ROWS} in this list`).check();
      await reprocess().click();
      expect(await words()).toContain('You propose this');
      expect(await words()).toContain(`${ROWS} rows, ${sumOf(ALL)} USD of account main of ${FILES} files`);
      await sendByHand([1]);
      await giveReason();
      await page.getByRole('button', { name: /^Propose/ }).click();
      for (const part of [
        'This has changed since you opened it',
        `Now: Sends ${ROWS - 1} rows, ${sumOf(ALL.slice(1))} USD of account main`,
        `Now: Left out: 1 row, ${sumOf([11])} USD: already resubmitted by bob.`,
      ])
        expect(await words()).toContain(part);
      expect(await countSentAgain()).toBe(1);
    });

    it('take four clicks for forty of nine files, without those that turn up meanwhile', async () => {
      await page.goto(world.url);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Queue' }).click();
      await page.getByLabel(`All ${ROWS - 1} in this list`).check();
      await reprocess().click();
      await dropDeclined('late.csv', [LATE]);
      await finishLater();
      await giveReason();
      await page.getByRole('button', { name: `Reprocess ${ROWS - 1} payments` }).click();
      expect(await words()).toContain(`0 of ${ROWS - 1} payments: 0 sent again`);
      expect(await words()).not.toContain('late.csv');
      if (javaScriptEnabled) expect(await findViolations(page)).toEqual([]);
    });

    it('show how far they are, and their end by themselves, even if the worker is killed in the middle', async () => {
      expect(await words()).toContain(`0 of ${ROWS - 1} payments`);
      const worker = await startWorker(world, { point: 'reprocess.file-dropped', hits: FILES_BEFORE_DEATH });
      onTestFinished(() => worker.kill());
      expect(await worker.ended, worker.lastWords()).toBe('SIGKILL');
      const sent = (await countSentAgain()) - 1;
      expect(sent).toBe(ofFile(2).length * FILES_BEFORE_DEATH);
      await page.getByText(`${sent} of ${ROWS - 1} payments: ${sent} sent again, 0 left out`).waitFor();
      const workers = await world.start();
      await page.getByText(`${ROWS - 1} of ${ROWS - 1} payments: ${ROWS - 1} sent again, 0 left out`).waitFor();
      await page.getByText('It took').waitFor();
      await workers.stop();
      expect(await countSentAgain()).toBe(ROWS);
    });

    it('are booked once more each, whatever the killed worker had begun', async () => {
      await finishLater();
      const invoices = world.sandbox.books().map(({ invoice }) => invoice);
      // The file that was sent by hand never existed.
      const again = ALL.slice(1).map((n) => `C-${n}`);
      expect(invoices.toSorted()).toEqual([...ALL.map((n) => `C-${n}`), ...again, `C-${LATE}`].toSorted());
    });

    it('lead to their new files, and these back', async () => {
      await page.reload();
      const run = page.url();
      const items = page.getByRole('group', { name: 'Items of the run' });
      expect(await items.locator('tbody tr').count()).toBe(FILES);
      await items.locator('td:nth-child(5) a').first().click();
      await page.getByText('This file has rows of').waitFor();
      await page.getByRole('link', { name: /^Run \d+/ }).click();
      expect(page.url()).toBe(run.split('?')[0]);
    });

    it('are exported with what became of each, which is audited', async () => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV', exact: true }).click(),
      ]);
      const rows = (await readFile(await file.path(), 'utf8')).trim().split('\r\n').slice(1);
      expect(rows).toHaveLength(ROWS - 1);
      expect(rows.every((row) => row.includes('Sent again'))).toBe(true);
      const [taken] = await listAudit(world.app.ledger, { move: 'export', limit: 1 });
      expect(taken).toMatchObject({ actor: 'operator:admin', evidence: { list: 'run', rows: ROWS - 1 } });
    });

    it('are only proposed above the limit, and another person confirms', async () => {
      await page.goto(world.url + LIST);
      await page.getByLabel(`All ${ROWS} in this list`).check();
      await reprocess().click();
      await giveReason();
      await page.getByRole('button', { name: `Propose to reprocess ${ROWS} payments` }).click();
      expect(await words()).toContain('Nothing happens until another person confirms it.');
      await page.goto(`${world.url}/approvals`);
      expect(await page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
      const other = await browser.newContext({ javaScriptEnabled });
      const approver = await visitAs(other, world, { path: '/approvals', as: 'approver' });
      await approver.getByRole('button', { name: /^Confirm/ }).click();
      await approver.getByRole('link', { name: 'See how far it is' }).click();
      expect(await approver.locator('main').innerText()).toContain(`0 of ${ROWS} payments`);
      await other.close();
    });

    it('are left out when a person stops the run, and may be selected again', async () => {
      await page.goto(`${world.url}/queue?list=finished`);
      await page.getByRole('group', { name: 'Runs of the last 30 days' }).getByRole('link').first().click();
      await page.getByRole('button', { name: 'Stop' }).click();
      await world.finish();
      await page.reload();
      expect(await words()).toContain(`0 sent again, ${ROWS} left out, 0 failed`);
      expect(await words()).toContain('Stopped by admin');
      expect(await countSentAgain()).toBe(ROWS);
      await page.getByRole('button', { name: 'Select again what may still go' }).click();
      expect(await words()).toContain(`${ROWS} rows, ${sumOf([...ALL.slice(1), LATE])} USD`);
    });

    it('are selected on the page of their file', async () => {
      const { file_id: fileId } = await fileNamed(world, 'late.csv');
      await page.goto(`${world.url}/files/${fileId}`);
      await page.getByRole('button', { name: 'Reprocess 1…' }).click();
      expect(await words()).toContain(`1 row, ${sumOf([LATE])} USD of account main of 1 file`);
      await page.getByRole('link', { name: 'Back to where you were' }).click();
      expect(page.url()).toBe(`${world.url}/files/${fileId}`);
    });
  },
);
