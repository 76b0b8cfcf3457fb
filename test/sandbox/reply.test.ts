import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { escapeHtml, headersOf, htmlReply, jsonReply, type Reply, sendReply } from '../../src/sandbox/reply.ts';

describe('sendReply', () => {
  it('sends status, body and the headers of the service, and no others but those of HTTP', async () => {
    const { status, headers, text } = await receive({
      status: 200,
      contentType: 'text/xml; charset=utf-8',
      body: '<é/>',
    });
    expect({ status, text }).toEqual({ status: 200, text: '<é/>' });
    expect(Object.fromEntries([...headers].filter(([name]) => name !== 'date'))).toEqual({
      'cache-control': 'private, max-age=0',
      'content-type': 'text/xml; charset=utf-8',
      'x-aspnet-version': '4.0.30319',
      'x-powered-by': 'ASP.NET',
      'content-length': '5',
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
    });
  });

  it('lets a reply bring its own headers', async () => {
    const { headers } = await receive({
      status: 500,
      contentType: 'text/xml',
      body: '',
      headers: { 'Cache-Control': 'private' },
    });
    expect(headers.get('cache-control')).toBe('private');
  });
});

describe('headersOf', () => {
  it('counts bytes, and lets a reply bring its own', () => {
    const headers = headersOf({ status: 200, contentType: 'a/b', body: 'é', headers: { 'Cache-Control': 'private' } });
    expect(headers).toMatchObject({ 'Content-Type': 'a/b', 'Content-Length': 2, 'Cache-Control': 'private' });
  });
});

describe('jsonReply', () => {
  it('writes JSON and a line end', () => {
    const { status, contentType, body } = jsonReply(201, { a: 'é' });
    expect([status, contentType, body]).toEqual([201, 'application/json; charset=utf-8', '{"a":"é"}\n']);
  });
});

describe('htmlReply', () => {
  it('writes a page whose title cannot break out', () => {
    const { status, body } = htmlReply(404, '<script>', '<p>x</p>');
    expect(status).toBe(404);
    expect(body).toContain('<h1>&lt;script&gt;</h1><p>x</p>');
    expect(body).not.toContain('<script>');
  });
});

describe('escapeHtml', () => {
  it('covers attributes too', () => {
    expect(escapeHtml('<a href="&">')).toBe('&lt;a href=&quot;&amp;&quot;&gt;');
  });
});

async function receive(reply: Reply) {
  const server = createServer((_, response) => sendReply(response, reply));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
