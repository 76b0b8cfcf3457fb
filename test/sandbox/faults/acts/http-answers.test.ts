import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  answerEarly,
  changeContentType,
  changeStatus,
  compress,
  informFirst,
  redirect,
  sendEmpty,
  sendJson,
  sendPage,
  speakAnotherProtocol,
  switchProtocols,
} from '../../../../src/sandbox/faults/acts/http-answers.ts';
import { bodyOf, CALL, CHARGE, outcomeOf } from '../support/sample-answers.ts';

describe('answers of HTTP', () => {
  it('sendPage sends a page with a status and headers', () => {
    const { text, end } = outcomeOf(sendPage(429, 'Too Many Requests', { 'Retry-After': '1' })());
    expect(text).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(text).toContain('\r\nRetry-After: 1\r\n');
    expect(text).toContain('<h1>Too Many Requests</h1>');
    expect(end).toBe('finish');
  });

  it.each([
    ['/NetGate/ProcessLinkv2.asmx', '/NetGate/ProcessLinkv3.asmx'],
    ['/NetGate/ProcessLinkv3.asmx', '/NetGate/ProcessLinkv2.asmx'],
    ['/NetGate/CustomerLink.asmx', '/NetGate/CustomerLinkv3.asmx'],
  ])('redirect leads from %s to %s', (path, target) => {
    const { text } = outcomeOf(redirect(307)({ ...CALL, path }));
    expect(text).toMatch(/^HTTP\/1\.1 307 /);
    expect(text).toContain(`\r\nLocation: ${target}\r\n`);
  });

  it('sendEmpty and sendJson succeed without an answer', () => {
    expect(outcomeOf(sendEmpty(CALL)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Length: 0\r\n/);
    expect(outcomeOf(sendEmpty({ ...CALL, version: '1.1' })).text).toContain('Content-Type: text/xml');
    expect(JSON.parse(bodyOf(sendJson()))).toEqual({ status: 'Success' });
  });

  it('changeStatus, changeContentType and informFirst leave the document as it is', () => {
    expect(outcomeOf(changeStatus(500)(CHARGE)).text).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(outcomeOf(changeContentType(CHARGE)).text).toContain('Content-Type: text/plain\r\n');
    const informed = outcomeOf(informFirst('103 Early Hints')(CHARGE)).text;
    expect(informed).toMatch(/^HTTP\/1\.1 103 Early Hints\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    for (const steps of [changeStatus(500)(CHARGE), changeContentType(CHARGE)]) {
      expect(bodyOf(steps)).toBe(CHARGE.body);
    }
  });

  it('compress says so and can be undone', () => {
    const { text, bytes } = outcomeOf(compress(CHARGE));
    expect(text).toContain('Content-Encoding: gzip\r\n');
    expect(gunzipSync(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)).toString()).toBe(CHARGE.body);
  });

  it('some are no answer at all', () => {
    expect(outcomeOf(speakAnotherProtocol()).text).toMatch(/^220 /);
    expect(outcomeOf(switchProtocols()).text).toMatch(/^HTTP\/1\.1 101 /);
    expect(outcomeOf(answerEarly()).text).toMatch(/^HTTP\/1\.1 503 /);
  });
});
