import { describe, expect, it } from 'vitest';
import { refuseMedia } from '../../../src/sandbox/soap/answer-call.ts';

describe('refuseMedia', () => {
  it.each([
    ['text/xml', undefined],
    ['text/xml; charset=utf-8', undefined],
    ['TEXT/XML;charset="UTF-8"', 'identity'],
    ['application/soap+xml; charset=utf-8; action="x"', ''],
    [' Application/Soap+XML ;charset=utf-8', undefined],
  ])('lets %j with the encoding %j pass', (type, encoding) => {
    expect(refuse(type, encoding)).toBeUndefined();
  });

  it.each([
    [undefined, undefined, 'Send text/xml'],
    ['', undefined, 'Send text/xml'],
    ['application/xml', undefined, 'Send text/xml'],
    ['application/json', undefined, 'Send text/xml'],
    ['application/x-www-form-urlencoded', undefined, 'Send text/xml'],
    ['multipart/related; type="text/xml"', undefined, 'Send text/xml'],
    ['text/xmlish', undefined, 'Send text/xml'],
    ['text/xml', 'gzip', 'Send the body as it is'],
    ['text/xml', 'identity, deflate', 'Send the body as it is'],
  ])('refuses %j with the encoding %j', (type, encoding, advice) => {
    const reply = refuse(type, encoding);
    expect(reply?.status).toBe(415);
    expect(reply?.body).toContain(advice);
  });
});

function refuse(type: string | undefined, encoding: string | undefined) {
  return refuseMedia({
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  });
}
