import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { ActionLinks, Page, Token } from '../../../src/web/parts/page.tsx';

const viewer = (role: PersonRole) => ({ person: 'ann', role, csrf: 'the token', actions: undefined });
const links = (html: string) => [...html.matchAll(/<a[^>]* href="([^"#]+)"/g)].map(([, href]) => href);

describe('Page', () => {
  it.each(Object.keys(PERSON_ROLES) as PersonRole[])('leads a %s where he may go', (role) => {
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
    expect(renderToString(Token({ viewer: viewer('viewer') }))).toBe(
      '<input type="hidden" name="_csrf" value="the token"/>',
    );
  });
});
