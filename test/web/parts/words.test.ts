import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { BATCH_STATES, FILE_STATES, OUTCOMES, saidState } from '../../../schemas/lifecycle.ts';
import { Count, Moment, Money, OutcomeWord, State, Sum } from '../../../src/web/parts/words.tsx';
import { draw, wordsOf } from '../support/page-words.ts';
import { h } from 'preact';
import { unmaskToken } from '../../../src/crypto/secret-token.ts';
import { PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { ActionLinks, Page, Token } from '../../../src/web/parts/page.tsx';

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
  it('is in the zone for people and in UTC for machines', () => {
    expect(renderToString(Moment({ at: new Date('2026-06-15T10:00:00Z'), timeZone: 'America/Toronto' }))).toBe(
      '<time datetime="2026-06-15T10:00:00.000Z">2026-06-15 06:00:00 -04:00</time>',
    );
  });
});

describe('State and OutcomeWord', () => {
  it.each([...Object.keys(FILE_STATES), ...Object.keys(BATCH_STATES)])('%s is told by its word', (state) => {
    expect(renderToString(State({ state }))).toMatch(new RegExp(`^<span class="state \\w+">${saidState(state)}<`));
  });

  it('shouts where money is in doubt', () => {
    for (const state of ['unknown', 'exception', 'refused'])
      expect(renderToString(State({ state }))).toContain('class="state bad"');
  });

  it.each(Object.keys(OUTCOMES))('%s is told as output files name it', (outcome) => {
    const { label } = OUTCOMES[outcome as keyof typeof OUTCOMES];
    expect(renderToString(OutcomeWord({ outcome }))).toContain(`>${label}<`);
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
    expect([...html.matchAll(/aria-current="page"[^>]*>([^<]+)/g)].map(([, label]) => label)).toEqual(['Files']);
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
