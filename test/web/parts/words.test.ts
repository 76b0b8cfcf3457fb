import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { SHOWN, SHOWN_OUTCOMES, shownOfState } from '../../../schemas/shown.ts';
import { Table } from '../../../src/web/parts/blocks.tsx';
import { PageTimeContext } from '../../../src/web/parts/when.ts';
import { Count, Moment, Money, OutcomeWord, said, State, StateBadge, Sum } from '../../../src/web/parts/words.tsx';
import { draw, wordsOf } from '../support/page-words.ts';
import { type ComponentChildren, h } from 'preact';
import { unmaskToken } from '../../../src/crypto/secret-token.ts';
import { PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import type { Shell } from '../../../src/web/access/viewer.ts';
import type { Badges } from '../../../src/ledger/overview/overview.ts';
import { ActionLinks, Page, type PageProps, Token } from '../../../src/web/parts/page.tsx';
import fc from 'fast-check';
import { nameZone, sayDistance, sayFully, sayInZones, sayShortly } from '../../../src/web/parts/when.ts';

describe('Money and Count', () => {
  it('read as people write them', () => {
    expect(renderToString(Money({ cents: 123_450, currency: 'USD' }))).toBe(
      '<span class="money">1,234.50<small> USD</small></span>',
    );
    expect(renderToString(Money({ cents: -5 }))).toBe('<span class="money">-0.05</span>');
    expect(renderToString(Count({ of: 1_000_000 }))).toBe('1,000,000');
  });
});

describe('Moment', () => {
  const at = new Date('2026-06-15T10:00:00Z');
  const now = new Date('2026-06-15T10:51:00Z');
  /** Draws content on a page of someone in Toronto. */
  const on = (children: ComponentChildren) =>
    renderToString(h(PageTimeContext.Provider, { value: { now, timeZone: 'America/Toronto' }, children }));

  it('is exact, with the zone, where nobody is logged in', () => {
    expect(draw(Moment, { at, timeZone: 'America/Toronto' })).toBe(
      '<time datetime="2026-06-15T10:00:00.000Z">2026-06-15 06:00:00 -04:00</time>',
    );
  });

  it('is in the zone of the person who looks, and tells that of the account and UTC on hover', () => {
    expect(on(h(Moment, { at, timeZone: 'Europe/London' }))).toBe(
      '<time datetime="2026-06-15T10:00:00.000Z" title="Mon 15 Jun 2026, 06:00:00 Toronto · 11:00:00 London · 10:00:00 UTC">Mon 15 Jun 2026, 06:00:00</time>',
    );
  });

  it('is short in a list, with the distance, unless it must be exact', () => {
    const list = (isExact: boolean) =>
      on(
        Table({
          label: 'x',
          columns: [{ title: 'When', cell: () => h(Moment, { at, isExact }) }],
          rows: [1],
          empty: '',
        }),
      );
    expect(wordsOf(list(false))).toBe('When 06:00 · 51 min ago');
    expect(wordsOf(list(true))).toBe('When Mon 15 Jun 2026, 06:00:00');
  });

  it('names the zone of a window where it is another', () => {
    expect(wordsOf(on(h(Moment, { at, timeZone: 'Europe/London', isWindow: true })))).toBe(
      '11:00 London, Mon 15 Jun 2026, 06:00:00 yours',
    );
    expect(wordsOf(on(h(Moment, { at, timeZone: 'America/Toronto', isWindow: true })))).not.toContain('yours');
  });

  it('is found in sentences that commands share', () => {
    const sentence = 'Account main is paused by ada at 2026-06-15 06:00:00 -04:00: wait.';
    expect(on(h('p', {}, said(sentence))).replace(/<[^>]+>/g, '')).toBe(
      'Account main is paused by ada at Mon 15 Jun 2026, 06:00:00: wait.',
    );
    expect(on(h('p', {}, said(sentence)))).toContain('datetime="2026-06-15T10:00:00.000Z"');
    expect(renderToString(h('p', {}, said(sentence)))).toBe(`<p>${sentence}</p>`);
    expect(on(h('p', {}, said(7)))).toBe('<p>7</p>');
  });
});

describe('State and OutcomeWord', () => {
  it('tell a state by its word, with what it means', () => {
    const { word, means } = SHOWN[shownOfState('submitted')!];
    expect(renderToString(State({ state: 'submitted' }))).toMatch(
      new RegExp(`^<span class="state \\w+" .*title="${means}">${word}<`),
    );
  });

  it('shouts where money is in doubt', () => {
    for (const state of ['unknown', 'exception', 'refused'])
      expect(renderToString(State({ state }))).toContain('class="state bad"');
  });

  it('tells what blocks a file where its color is', () => {
    const says = 'account main is paused by ada: wait';
    const block = { kind: 'paused', account: 'main', says, since: null, fileId: null, batchNo: null } as const;
    const html = renderToString(StateBadge({ of: { shown: 'blocked', blockedBy: [block] } }));
    expect(html).toBe(`<span class="state warn" data-state="blocked" title="${says}">Blocked</span>`);
  });

  it('tell an outcome in words, with its name in the output files', () => {
    const html = renderToString(OutcomeWord({ outcome: 'accepted_pending' }));
    expect(html).toContain(`>${SHOWN_OUTCOMES.accepted_pending.word}<`);
    expect(html).toContain('ACCEPTED_PENDING in the output files');
  });
});

describe('Sum', () => {
  it.each([
    [{ rows: 1_200, cents: 3_000_000 }, 'USD', '1,200 rows, 30,000.00 USD'],
    [{ rows: 1, cents: -5 }, 'CAD', '1 row, -0.05 CAD'],
    [{ rows: 0, cents: 0 }, undefined, '0 rows, 0.00'],
  ])('of %j in %s says "%s"', (of, currency, words) => {
    expect(wordsOf(draw(Sum, { of, currency }))).toBe(words);
  });
});

const viewer = (role: PersonRole) => ({ person: 'ann', role, csrf: 'the token', actions: undefined });
const links = (html: string) => [...html.matchAll(/<a[^>]* href="([^"#]+)"/g)].map(([, href]) => href);

describe('Page', () => {
  it.each(Object.keys(PERSON_ROLES) as PersonRole[])('leads a %s where the role allows', (role) => {
    const html = renderToString(Page({ title: 'Files', viewer: viewer(role), path: '/files/x' }));
    expect(links(html).includes('/people')).toBe(role === 'admin');
    expect(links(html)).toContain('/audit');
    expect([...html.matchAll(/aria-current="page"[^]*?<\/a>/g)].map(([link]) => wordsOf(`<a ${link}`))).toEqual([
      'Files',
    ]);
  });

  it('shows a stranger nothing but the page itself', () => {
    const html = renderToString(Page({ title: 'Log in', viewer: null, path: '/login' }));
    expect(links(html)).toEqual([]);
    expect(html).not.toMatch(/csrf|logout/);
  });

  it('says where one is', () => {
    const crumbs = [{ path: '/files', label: 'Files' }];
    const html = renderToString(Page({ title: 'monday.csv', viewer: viewer('viewer'), path: '/files/x', crumbs }));
    expect(html).toContain('<li><a href="/files">Files</a></li><li aria-current="page">monday.csv</li>');
  });
});

const shell = (badges: Partial<Badges> = {}): Shell => ({
  now: new Date('2026-06-15T10:00:00Z'),
  timeZone: 'America/Toronto',
  accounts: ['main', 'side'],
  account: undefined,
  badges: { needsYou: 0, isInDoubt: false, approvals: 0, stopped: 0, ...badges },
});

describe('Page with its shell', () => {
  const page = (role: PersonRole, surrounds: Shell, more: Partial<PageProps> = {}) =>
    renderToString(Page({ title: 'Files', viewer: { ...viewer(role), shell: surrounds }, path: '/files', ...more }));
  const nav = (html: string) => wordsOf(/<nav aria-label="Main"[^]*?<\/nav>/.exec(html)![0]);

  it('counts beside a subject what the viewer can do something about', () => {
    const badges = { needsYou: 2, isInDoubt: true, approvals: 3, stopped: 1 };
    const operator = page('operator', shell(badges));
    expect(nav(operator)).toContain('Queue 2 need attention money is in doubt Approvals Money');
    expect(nav(operator)).toContain('Accounts sending is stopped');
    expect(nav(page('approver', shell(badges)))).toContain('Queue money is in doubt Approvals 3 wait for a decision');
    expect(nav(page('viewer', shell(badges)))).toContain('Queue money is in doubt Approvals Money');
    expect(nav(page('admin', shell()))).not.toMatch(/\d|doubt|stopped/);
  });

  it('tells in title and icon that something needs attention', () => {
    const quiet = page('operator', shell());
    expect(quiet).toContain('<title>Files · paydrop</title>');
    expect(quiet).not.toContain('icon-alert.svg');
    const loud = page('operator', shell({ needsYou: 2, isInDoubt: true }));
    expect(loud).toContain('<title>(2) Files · paydrop</title>');
    expect(loud).toContain('icon-alert.svg');
  });

  it('says of a list whether it is limited to an account, and leads to the whole', () => {
    const chosen = { ...shell(), account: 'main' };
    expect(page('viewer', shell(), { only: '' })).not.toContain('class="only"');
    expect(page('viewer', chosen, { only: '' })).toContain('All accounts are shown.');
    const limited = page('viewer', chosen, { only: 'main' });
    expect(limited).toContain('Only account <strong>main</strong>');
    expect(links(limited)).toContain('/files?account=');
    expect(limited).toMatch(/value="main" aria-pressed="true"/);
  });

  it('offers no choice where there is one account', () => {
    expect(page('viewer', shell())).toContain('action="/account"');
    expect(page('viewer', { ...shell(), accounts: ['main'] })).not.toContain('action="/account"');
  });

  it('shows pages of one subject as tabs', () => {
    const tabs = (path: string) => /<nav class="tabs"[^]*?<\/nav>/.exec(page('viewer', shell(), { path }))?.[0] ?? '';
    expect(wordsOf(tabs('/schedules'))).toBe('Accounts Schedules Profiles');
    expect(tabs('/schedules')).toContain('href="/schedules" aria-current="page"');
    expect(tabs('/accounts/main')).toBe('');
  });
});

describe('ActionLinks', () => {
  it('offers what the role may, and nothing when that is nothing', () => {
    const actions = ['approve', 'cancel', 'resubmit'] as const;
    const offered = (role: PersonRole) =>
      links(renderToString(ActionLinks({ viewer: viewer(role), actions, base: '/files/x' }) ?? h('br', {})));
    expect(offered('operator')).toEqual(['/files/x/do/cancel', '/files/x/do/resubmit']);
    expect(offered('approver')).toEqual(['/files/x/do/approve', '/files/x/do/cancel']);
    expect(offered('viewer')).toEqual([]);
  });
});

describe('Token', () => {
  it('is what the server compares', () => {
    const [, value] =
      /^<input type="hidden" name="_csrf" value="([\w-]+)"\/>$/.exec(draw(Token, { viewer: viewer('viewer') })) ?? [];
    expect(unmaskToken(value!)).toBe('the token');
  });
});

const NOW = new Date('2026-11-23T07:56:42Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const [MINUTE, HOUR] = [60_000, 3_600_000];

describe('sayShortly', () => {
  it.each([
    ['2026-11-23T07:05:42Z', '02:05'],
    ['2026-11-23T04:05:00Z', '23:05'],
    ['2026-11-22T04:05:00Z', '21 Nov, 23:05'],
    ['2026-11-25T04:05:00Z', '24 Nov, 23:05'],
    ['2026-01-01T05:00:00Z', '1 Jan, 00:00'],
    ['2026-01-01T04:59:59Z', '31 Dec 2025'],
    ['2027-01-01T05:00:00Z', '1 Jan 2027'],
  ])('of %s says "%s"', (at, says) => {
    expect(sayShortly(new Date(at), { now: NOW, timeZone: 'America/New_York' })).toBe(says);
  });
});

describe('sayFully', () => {
  it('has the day of the week in the zone', () => {
    const at = new Date('2026-11-23T02:05:42Z');
    expect(sayFully(at, 'UTC')).toBe('Mon 23 Nov 2026, 02:05:42');
    expect(sayFully(at, 'America/New_York')).toBe('Sun 22 Nov 2026, 21:05:42');
  });

  it('names the same day as any calendar', () => {
    const days = fc.date({ min: new Date('1973-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    const format = { weekday: 'short', timeZone: 'Asia/Tokyo' } as const;
    fc.assert(
      fc.property(days, (at) => sayFully(at, 'Asia/Tokyo').startsWith(at.toLocaleDateString('en-US', format))),
      { numRuns: 100 },
    );
  });
});

describe('sayInZones', () => {
  const at = new Date('2026-11-23T07:05:42Z');

  it('tells each zone once, and UTC always', () => {
    expect(sayInZones(at, ['America/New_York', 'America/New_York'])).toBe(
      'Mon 23 Nov 2026, 02:05:42 New York · 07:05:42 UTC',
    );
    expect(sayInZones(at, ['America/New_York', 'America/Vancouver'])).toBe(
      'Mon 23 Nov 2026, 02:05:42 New York · Sun 22 Nov 2026, 23:05:42 Vancouver · 07:05:42 UTC',
    );
    expect(sayInZones(at, ['UTC'])).toBe('Mon 23 Nov 2026, 07:05:42 UTC');
  });
});

describe('sayDistance', () => {
  it.each([
    [0, 'just now'],
    [MINUTE - 1, 'just now'],
    [MINUTE, '1 min ago'],
    [HOUR - 1, '59 min ago'],
    [HOUR, '1 h ago'],
    [23 * HOUR + 59 * MINUTE, '23 h ago'],
    [-1, 'in a moment'],
    [-90 * MINUTE, 'in 1 h'],
  ])('of %i ms says "%s"', (ms, says) => {
    expect(sayDistance(ago(ms), NOW)).toBe(says);
  });
});

describe('nameZone', () => {
  it.each([
    ['America/Argentina/Buenos_Aires', 'Buenos Aires'],
    ['UTC', 'UTC'],
  ])('of %s is %s', (zone, name) => {
    expect(nameZone(zone)).toBe(name);
  });
});
