import { judgeItems } from '../../../src/ledger/reprocess/judge-items.ts';
import { beginReprocess } from '../../../src/ledger/reprocess/move-run.ts';
import { selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import { PROFILE_TEXT, putConfirmed, putDraft } from '../../ledger/support/put-version.ts';
import { achRow, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import {
  type DashboardWorld,
  openDashboardWorld,
  PASSWORD,
  type TestPerson,
} from '../../web/support/dashboard-world.ts';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { hastenPages } from './dashboard-day.ts';

/** A page of the dashboard as a person sees it. */
export type ShownPage = { readonly name: string; readonly path: string; readonly as: TestPerson | 'nobody' };

export type FurnishedDashboard = DashboardWorld & { readonly pages: readonly ShownPage[] };

/**
 * Opens a dashboard after a day's work: files that are done, refused, held or waiting for a second person, declined
 * rows, a batch in doubt, a stopped account, and a profile of two versions.
 */
export async function openFurnishedDashboard(): Promise<FurnishedDashboard> {
  const world = await openDashboardWorld({
    account: { timeZone: 'America/Toronto', secondPerson: { refunds: true, overrides: true, resolutions: true } },
    settings: { batch: { maxRows: 20 } },
  });
  await world.drop('card', 'card-payments-june.csv', lines(upTo(60).map((n) => cardRow(n, magicCells(n)))));
  await world.drop('ach-charge', 'dues-june.csv', lines(upTo(25).map((n) => achRow(n))));
  await world.finish();
  await world.drop(
    'card',
    'with-faults.csv',
    lines([cardRow(101), cardRow(102, { amount: '$5' }), cardRow(103, { card: '4222222222222221' })]),
  );
  await world.drop('card', 'broken.csv', `${cardRow(104)}\n"${cardRow(105)}\n`);
  await world.drop('ach-refund', 'refunds-june.csv', lines(upTo(3).map((n) => codeRow(n, { amount: '-10.00' }))));
  await world.finish();
  world.sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
  await world.drop('card', 'tuesday.csv', lines(upTo(45).map((n) => cardRow(200 + n))));
  await world.finish();
  await putConfirmed(world.app.ledger, 'dues');
  await putDraft(world.app.ledger, 'dues', PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"));
  const { rows } = await world.app.ledger.pool.query<{ name: string; file_id: string }>(
    'SELECT name, file_id FROM file',
  );
  const idOf = (name: string) => rows.find((row) => row.name === name)!.file_id;
  await putSelections(world, idOf('card-payments-june.csv'));
  return Object.assign(world, { pages: pagesOf(idOf) });
}

/** Selects a declined payment of a file, and begins a run with another. */
async function putSelections({ app: { ledger } }: DashboardWorld, fileId: string): Promise<void> {
  const because = { actor: 'operator:operator', reason: 'the line to the bank is up again' };
  const select = (line: number) => selectPicked(ledger, { rows: [{ fileId, line }], batches: [], lost: [] }, because);
  await select(7);
  const runNo = await select(14);
  const { digest } = await judgeItems(ledger.pool, runNo);
  await beginReprocess(ledger, runNo, { digest, name: 'Declines of June' }, because);
}

/** Returns cells that the sandbox declines by their amount, for every seventh row. */
function magicCells(n: number): Parameters<typeof cardRow>[1] {
  return n % 7 === 0 ? { card: MAGIC_CARD, amount: '2.00' } : {};
}

/** Returns the names of all pages of a furnished dashboard. */
export function pageNames(): string[] {
  return pagesOf(() => '').map(({ name }) => name);
}

function pagesOf(idOf: (name: string) => string): ShownPage[] {
  const done = `/files/${idOf('card-payments-june.csv')}`;
  const doubt = `/files/${idOf('tuesday.csv')}`;
  const held = `/files/${idOf('refunds-june.csv')}`;
  const page = (name: string, path: string, as: ShownPage['as'] = 'admin'): ShownPage => ({ name, path, as });
  return [
    page('login', '/login', 'nobody'),
    page('front', '/'),
    page('people', '/people'),
    page('me', '/me'),
    page('keyboard', '/keyboard'),
    page('missing', '/nothing/here'),
    page('files', '/files'),
    page('file-done', done),
    page('file-rows', `${done}?tab=payments`),
    page('file-held', held),
    page('file-refused', `/files/${idOf('broken.csv')}`),
    page('file-faults', `/files/${idOf('with-faults.csv')}`),
    page('file-in-doubt', doubt),
    page('batch-done', `${done}/batches/1`),
    page('batch-in-doubt', `${doubt}/batches/1`),
    page('resolve', `${doubt}/batches/1/resolve`),
    page('approve', `${held}/do/approve`),
    page('not-received', `${doubt}/batches/1/do/not-received`),
    page('resubmit', `${done}/do/resubmit`),
    page('approvals', '/approvals'),
    page('accounts', '/accounts'),
    page('account', '/accounts/main'),
    page('pause', '/accounts/main/do/pause'),
    page('schedules', '/schedules'),
    page('profiles', '/profiles'),
    page('profile', '/profiles/dues'),
    page('profile-diff', '/profiles/dues/diff?from=1&to=2'),
    page('profile-preview', '/profiles/dues/preview'),
    page('new-profile', '/new-profile'),
    page('queue', '/queue'),
    page('queue-again', '/queue?list=again&advice=all'),
    page('queue-blocked', '/queue?list=blocked'),
    page('queue-failed', '/queue?list=failed'),
    page('queue-finished', '/queue?list=finished'),
    page('selection', '/queue/selections/1/do/reprocess'),
    page('run', '/queue/selections/2'),
    page('report', '/report'),
    page('audit', '/audit'),
    page('payments', '/payments'),
    page('payment', `/payments/${idOf('card-payments-june.csv')}/7`),
    page('search', '/search?q=C-7'),
    page('search-nothing', '/search?q=nothing-of-that-name'),
    page('drop', '/drop'),
    page('api', '/api'),
  ];
}

/** Opens a page as a person who is logged in already. */
export async function visitAs(
  context: BrowserContext,
  dashboard: DashboardWorld,
  { path, as }: Pick<ShownPage, 'path' | 'as'>,
): Promise<Page> {
  if (as !== 'nobody') {
    const [name = '', value = ''] = (await cookieOf(dashboard, as)).split('=');
    await context.addCookies([{ name, value, url: dashboard.url }]);
  }
  const page = await context.newPage();
  await page.goto(dashboard.url + path);
  return page;
}

const COOKIES = new WeakMap<DashboardWorld, Map<TestPerson, Promise<string>>>();

/** Returns one session for each person, because frequent log-ins are made to wait. */
function cookieOf(dashboard: DashboardWorld, person: TestPerson): Promise<string> {
  const known = COOKIES.get(dashboard) ?? new Map<TestPerson, Promise<string>>();
  COOKIES.set(dashboard, known);
  const cookie = known.get(person) ?? dashboard.as(person).then((browser) => browser.cookie);
  known.set(person, cookie);
  return cookie;
}

/** A page of a person, and how often they have clicked on it since they logged in. */
export type CountedPage = { readonly page: Page; clicks(): number };

/**
 * Logs a person in, and counts what they click from the page on which they then are. The browser itself counts: each
 * press of the mouse is one, and Enter in a field is one. To fill in a field is none.
 */
export async function logInCounted(browser: Browser, dashboard: DashboardWorld, as: TestPerson): Promise<CountedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(60_000);
  await hastenPages(context);
  let count = 0;
  await context.exposeBinding('noteClick', () => void (count += 1));
  await context.addInitScript(() => {
    const { noteClick } = globalThis as unknown as { noteClick: () => void };
    const note = (event: Event) => {
      const isClick = !(event instanceof KeyboardEvent) || event.key === 'Enter';
      if (event.isTrusted && isClick) noteClick();
    };
    for (const kind of ['mousedown', 'keydown']) addEventListener(kind, note, true);
  });
  const page = await context.newPage();
  await page.goto(`${dashboard.url}/login`);
  await page.getByLabel('Name').fill(as);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  count = 0;
  return { page, clicks: () => count };
}
