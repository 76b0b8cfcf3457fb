import { h, type VNode } from 'preact';
import { expect, it } from 'vitest';
import { sendPage } from '../../src/web/send-page.ts';

it('a page is whole, escaped, and kept by nobody on the way', () => {
  const said: Record<string, unknown> = {};
  const reply = {
    type: (type: string) => Object.assign(reply, void (said['type'] = type)),
    header: (name: string, value: string) => Object.assign(reply, void (said[name] = value)),
    send: (body: string) => Object.assign(reply, void (said['body'] = body)),
  };
  sendPage(reply as never, h('p', { title: '"><script>' }, '<b>&') as VNode);
  expect(said).toEqual({
    type: 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    body: '<!doctype html><p title="&quot;>&lt;script>">&lt;b>&amp;</p>',
  });
});
