import { describe, expect, it } from 'vitest';
import { httpBytes } from '../../../src/sandbox/faults/http-bytes.ts';

const REPLY = { status: 200, contentType: 'text/xml', body: 'é', headers: { 'X-Own': '1' } };

describe('httpBytes', () => {
  it('writes the answer as it would be sent, and closes after it', () => {
    const { head, body, whole } = httpBytes(REPLY);
    expect(head.toString().split('\r\n')).toEqual([
      'HTTP/1.1 200 OK',
      'Cache-Control: private, max-age=0',
      'Content-Type: text/xml',
      'X-AspNet-Version: 4.0.30319',
      'X-Powered-By: ASP.NET',
      'X-Own: 1',
      'Content-Length: 2',
      'Connection: close',
      '',
      '',
    ]);
    expect(body.toString()).toBe('é');
    expect(whole).toEqual(Buffer.concat([head, body]));
  });

  it('changes headers and leaves them out', () => {
    const head = httpBytes(REPLY, { 'Content-Length': '9', 'X-Own': undefined }).head.toString();
    expect(head).toContain('Content-Length: 9\r\n');
    expect(head).not.toContain('X-Own');
  });
});
