import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS, type ActionName } from '../../schemas/actions.ts';
import { BATCH_STATES, FILE_STATES, OUTCOMES } from '../../schemas/lifecycle.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { chromiumIsInstalled, openChromium } from '../support/chromium.ts';
import type { TestPerson } from '../web/support/dashboard-world.ts';
import { findViolations, testDay } from './support/dashboard-day.ts';
import { type FurnishedDashboard, openFurnishedDashboard, pageNames, visitAs } from './support/furnished-dashboard.ts';
import { FEATURES } from '../../src/features.ts';

const COMMANDS = await loadCommands(FEATURES);

testDay();

/** On a phone, axe and all that depends on the width; a narrower one must not scroll sideways either. */
const SHAPES = [
  { shape: 'a dashboard in the light', width: 1440, colorScheme: 'light' },
  { shape: 'a dashboard in the dark', width: 1440, colorScheme: 'dark' },
  { shape: 'a dashboard with colors of its own', width: 1440, colorScheme: 'light', forcedColors: 'active' },
  { shape: 'a tablet', width: 640, colorScheme: 'light' },
  { shape: 'a phone', width: 390, colorScheme: 'light' },
] as const;
const NARROW = 360;

describe.runIf(chromiumIsInstalled())('every page', () => {
  let dashboard: FurnishedDashboard;
  let browser: Browser;
  let inside: BrowserContext;
  let outside: BrowserContext;
  let complaints: string[] = [];
  beforeAll(async () => {
    [dashboard, browser] = await Promise.all([openFurnishedDashboard(), openChromium()]);
    [inside, outside] = await Promise.all([openContext(), openContext()]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await dashboard.close();
  });

  /** Opens a browser that notes faults of scripts, what the policy forbids, and what is asked of other hosts. */
  async function openContext(): Promise<BrowserContext> {
    const context = await browser.newContext();
    context.on('weberror', (error) => complaints.push(error.error().message));
    context.on('console', (message) => {
      if (message.type() === 'error' && !/status of [45]\d\d/.test(message.text())) complaints.push(message.text());
    });
    context.on('request', (request) => {
      if (!request.url().startsWith(`${dashboard.url}/`)) complaints.push(`asks ${request.url()}`);
    });
    return context;
  }

  it.each(pageNames())(
    '%s keeps nobody from using it, on a dashboard or a phone, and brings no fault of the script and nothing that the policy forbids',
    async (name) => {
      const { path, as } = dashboard.pages.find((one) => one.name === name)!;
      complaints = [];
      const page = await visitAs(as === 'nobody' ? outside : inside, dashboard, { path, as });
      expect(complaints).toEqual([]);
      const troubles: string[] = [];
      // The shapes differ only in what the style sheet does, so the page need not be reloaded.
      for (const { shape, width, ...media } of SHAPES) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce', ...media });
        troubles.push(...(await findViolations(page)).map((violation) => `${shape}: ${violation}`));
        troubles.push(...(await findSideways(page, width)));
      }
      troubles.push(...(await page.evaluate(findHiddenCells)));
      await page.setViewportSize({ width: NARROW, height: 800 });
      troubles.push(...(await findSideways(page, NARROW)));
      expect(troubles).toEqual([]);
      await page.close();
    },
    60_000,
  );

  it('comes compressed, without styles of its own and with a policy that forbids them', async () => {
    const { cookie } = await dashboard.as('admin');
    for (const { path } of dashboard.pages.filter(({ as }) => as === 'admin')) {
      const answer = await fetch(dashboard.url + path, {
        headers: { cookie, accept: 'text/html', 'accept-encoding': 'br' },
      });
      const text = await answer.text();
      // An error page is too short for it.
      if (answer.ok) expect([path, answer.headers.get('content-encoding')]).toEqual([path, 'br']);
      expect([path, /<style|\sstyle="|\son\w+="|<script(?! src="\/assets\/)/.exec(text)?.[0]]).toEqual([
        path,
        undefined,
      ]);
      const policy = answer.headers.get('content-security-policy');
      expect(policy).not.toContain('unsafe');
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
        expect(policy).toContain(rule);
    }
  });

  it.each(['viewer', 'operator', 'approver', 'admin'] as const)(
    'speaks to a %s in words of their trade, has one main button, and tells every time in their zone',
    async (person) => {
      const timeZone = 'Asia/Tokyo';
      expect((await (await dashboard.as(person)).post('/me/settings', { timeZone })).status).toBe(303);
      const { visited, troubles } = await crawl(await openContext(), dashboard, person);
      expect(troubles).toEqual([]);
      expect(visited).toBeGreaterThan(40);
    },
    300_000,
  );
});

/** Returns a complaint when a page must be scrolled sideways to be read. */
async function findSideways(page: Page, width: number): Promise<string[]> {
  const widest = await page.evaluate(() => document.documentElement.scrollWidth);
  return widest > width ? [`${widest} wide on a screen of ${width}`] : [];
}

/** Returns the cells with name, amount or state that a phone does not show, of tables that it shows in lines. */
function findHiddenCells(): string[] {
  const cells = document.querySelectorAll('main table.lines td:is(.name, .amount, .of-state)');
  return [...cells].flatMap((cell) => {
    const { left, right, width } = cell.getBoundingClientRect();
    // Cells of a folded part have no size.
    return width === 0 || (left >= 0 && right <= window.innerWidth) ? [] : [`hidden: ${cell.textContent}`];
  });
}

/** Addresses that hand out a file, end the session or belong to programs. */
const NO_PAGE = /^\/(?:api\/v1|assets|export|logout|live)\b|\/outputs\/|\.(?:csv|xlsx|txt|json)\b/;

/** Pages of one kind that are visited. */
const MOST_OF_KIND = 3;

/** Follows every link of a person, a few of each kind of page. */
async function crawl(context: BrowserContext, dashboard: FurnishedDashboard, person: TestPerson) {
  const page = await visitAs(context, dashboard, { path: '/', as: person });
  const waiting = dashboard.pages.filter(({ as }) => as !== 'nobody').map(({ path }) => path);
  const visited = new Set<string>();
  const kinds = new Map<string, number>();
  const troubles: string[] = [];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = path.replace(/[a-z0-9]{8,}|\b\d+\b/g, '*').replace(/\b(?!list=|tab=)(\w+)=[^&]*/g, '$1');
    const count = kinds.get(kind) ?? 0;
    if (visited.has(path) || count === MOST_OF_KIND) continue;
    visited.add(path);
    kinds.set(kind, count + 1);
    await page.goto(dashboard.url + path);
    const shown = await page.evaluate(readShown);
    troubles.push(...findTroubles(shown).map((trouble) => `${path}: ${trouble}`));
    waiting.push(...shown.links.filter((link) => !NO_PAGE.test(link)));
  }
  await context.close();
  return { visited: visited.size, troubles };
}

type ShownPage = ReturnType<typeof readShown>;

/** Reads a page as its user sees it, without what they must unfold. Runs in the browser. */
function readShown() {
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const links = all('a[href^="/"]:not([download])').map((link) => link.getAttribute('href')!.split('#')[0]!);
  const filled = all('.main:is(button, .button), button.irreversible').length;
  const reds = all('.irreversible').map(
    (button) => button.getAttribute('href') ?? button.closest('form')?.action ?? '',
  );
  const times = all('time').map(({ title, outerHTML }) => ({ title, html: outerHTML }));
  for (const folded of all('details, pre, code, textarea, .file-text')) folded.remove();
  return { text: `${document.title}\n${document.body.innerText}`, links, filled, reds, times };
}

/** Words of the data that are no words for people. */
const RAW = [...Object.keys(FILE_STATES), ...Object.keys(BATCH_STATES), ...Object.keys(OUTCOMES)].filter((word) =>
  word.includes('_'),
);
const COMMAND_NAMES = COMMANDS.map(({ name }) => name);

/** What no page says: commands, raw states, codes, times of machines, and words that others of the same meaning replace. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'a command': new RegExp(`\\bpaydrop (?:${COMMAND_NAMES.join('|')})\\b(?! (?:is|has|and|or)\\b)|--reason|See --help`),
  'a raw state': new RegExp(`\\b(?:${RAW.join('|')})\\b`),
  'a code': /\b[A-Z]{3,}_[A-Z_]+\b/,
  'a time of a machine': /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d/,
  'a word of the code or of no trade':
    /\b(?:deeds?|desk|absolve\w*|disown\w*|adopt\w*|mend(?:s|ed)?|grave|foresee\w*|set aside|on (?:their|its) way|money in doubt|stands? still|held for a person|needs? a person|whoever|somebody|nobody|he|his|him|himself|look-back|let go)\b/i,
  'a button that does not say what it does':
    /^(?:Show it|Look|Do it|Make it|Change it|Check and drop|Would be accepted)$/m,
  'a wrong plural': /(?<![\d.,])1 (?:rows|payments|files|batches|things)\b/,
};

function findTroubles({ text, filled, reds, times }: ShownPage): string[] {
  const said = Object.entries(FORBIDDEN).flatMap(([what, pattern]) =>
    [...text.matchAll(new RegExp(pattern, `g${pattern.flags}`))].map(
      ({ 0: found, index }) => `${what}: ${text.slice(Math.max(0, index - 30), index + found.length + 30)}`,
    ),
  );
  const wrongReds = reds.filter((address) => {
    const action = /\/do\/([\w-]+)/.exec(address)?.[1];
    return action !== undefined && ACTIONS[action as ActionName].destructive !== 'irreversible';
  });
  return [
    ...said,
    ...(filled > 1 ? [`${filled} main buttons`] : []),
    ...wrongReds.map((address) => `red, but can be undone: ${address}`),
    ...times.filter(({ title }) => !title.includes('Tokyo')).map(({ html }) => `a time without its zone: ${html}`),
  ];
}
