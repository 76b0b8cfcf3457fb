import { describe, expect, it } from 'vitest';
import { findMarkupFault, readAnswer, textOf } from '../../../src/gateway/soap/read-answer.ts';
import { ACCEPTED, answerOf, envelope, failure, FAULT, success, WAIT } from '../support/soap-answers.ts';

const OPERATION = 'processACHEFTChargeBatch';
const GOOD = answerOf('ProcessACHEFTChargeBatch', ACCEPTED);

describe('readAnswer', () => {
  const accepted = { AUTHORIZATIONRESULT: WAIT, BATCHID: '1000001' };

  it.each([
    ['as recorded', GOOD],
    ['without a declaration', GOOD.replace(/^<\?xml[^>]*\?>/, '')],
    ['with a byte order mark', `\ufeff${GOOD}`],
    ['with other prefixes', GOOD.replaceAll('soap:', 'env:').replace('xmlns:soap', 'xmlns:env')],
    [
      'of SOAP 1.1',
      GOOD.replace('http://www.w3.org/2003/05/soap-envelope', 'http://schemas.xmlsoap.org/soap/envelope/'),
    ],
    ['without namespaces', GOOD.replaceAll(/ xmlns(:\w+)?="[^"]*"/g, '')],
    ['with line ends between the elements', GOOD.replaceAll('><', '>\r\n  <')],
  ])('reads an answer %s', async (_how, xml) => {
    expect(await read(xml)).toEqual({
      kind: 'read',
      answer: { status: 'Success', errors: '', payload: { BATCHPROCESSRESULT: accepted } },
    });
  });

  it('bears an empty error within the payload', async () => {
    expect((await read(GOOD.replace('</BATCHID>', '$&<ERRORS />'))).kind).toBe('read');
  });

  it('reads a failure, entities and all', async () => {
    expect(await read(answerOf('ProcessACHEFTChargeBatch', failure(' a &amp; b\n', '')))).toEqual({
      kind: 'read',
      answer: { status: 'Failure', errors: 'a & b', payload: {} },
    });
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \r\n'],
    ['a fault', FAULT],
    ['another operation', answerOf('ProcessACHEFTRefundBatch', ACCEPTED)],
    ['the request', GOOD.replaceAll('BatchResponse', 'Batch')],
    ['two responses', envelope(GOOD.replace(/^.*<soap:Body>|<\/soap:Body>.*$/g, '').repeat(2))],
    ['a second element beside the response', GOOD.replace('</soap:Body>', '<x/></soap:Body>')],
    ['a second element beside the result', GOOD.replace('</ProcessACHEFTChargeBatchResponse>', '<x/>$&')],
    ['text instead of the result', envelope('<ProcessACHEFTChargeBatchResponse>x</ProcessACHEFTChargeBatchResponse>')],
    ['no body', GOOD.replace(/<soap:Body>.*<\/soap:Body>/, '')],
    ['no STATUS', answerOf('ProcessACHEFTChargeBatch', '<ERRORS/>')],
    ['another STATUS', answerOf('ProcessACHEFTChargeBatch', ACCEPTED.replace('Success', 'success'))],
    ['two STATUS', answerOf('ProcessACHEFTChargeBatch', success('<STATUS>Failure</STATUS>'))],
    ['STATUS with an attribute', answerOf('ProcessACHEFTChargeBatch', ACCEPTED.replace('<STATUS>', '<STATUS a="b">'))],
    ['ERRORS with elements', answerOf('ProcessACHEFTChargeBatch', '<STATUS>Failure</STATUS><ERRORS><a/></ERRORS>')],
    ['an error within the payload', GOOD.replace('</BATCHID>', '$&<ERRORS>x</ERRORS>')],
    ['a status within the payload', GOOD.replace('</BATCHID>', '$&<STATUS>Success</STATUS>')],
    ['an unknown entity', answerOf('ProcessACHEFTChargeBatch', failure('&nbsp;'))],
    ['tags that do not close', GOOD.replace('</STATUS>', '')],
    ['text behind the end', `${GOOD}x`],
    ['UTF-16', Buffer.from(GOOD, 'utf16le')],
    ['bytes that are not UTF-8', Buffer.from([0x3c, 0xff])],
  ])('cannot read %s, and quotes nothing of it', async (_what, body) => {
    const reading = await read(body);
    expect(reading).toEqual({ kind: 'unreadable', why: expect.stringMatching(/^the answer [a-z ,A-Z-]+$/) });
  });

  it('leaves the prototype of all objects alone', async () => {
    await read(GOOD.replace('<STATUS>', '<x id="__proto__"><polluted>1</polluted></x><STATUS>'));
    await read(
      GOOD.replace('<STATUS>', '<constructor><prototype><polluted>1</polluted></prototype></constructor><STATUS>'),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('obj' in {} || 'polluted' in {}).toBe(false);
  });
});

describe('textOf', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    [' a ', 'a'],
    ['a\u{1f600}', 'a\u{1f600}'],
    ['a\0', undefined],
    ['a\ud83d', undefined],
    [['a'], undefined],
    [{ a: 'b' }, undefined],
  ])('of %j is %j', (value, text) => {
    expect(textOf(value)).toBe(text);
  });
});

function read(body: string | Buffer) {
  return readAnswer(OPERATION, Buffer.from(body as string));
}

const BOMB =
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>' +
  '<Envelope><Body>&b;</Body></Envelope>';

describe('findMarkupFault', () => {
  it.each([
    ['an answer', answerOf('ProcessCreditCardBatch', ACCEPTED)],
    ['a fault', FAULT],
    ['an empty envelope', '<Envelope/>'],
    ['attributes in both kinds of quotes', `<e:Envelope a="1>2" b='"'><x /></e:Envelope>`],
    ['line ends in a tag', '<Envelope\n a = "1"\r\n></Envelope\n>'],
    ['the words id and href in text', '<Envelope>id="1" href="#1"</Envelope>'],
    ['an attribute whose name ends with id', '<Envelope uuid="1"/>'],
    ['the entities of XML', '<Envelope>&amp;&lt;&gt;&quot;&apos;&#10;&#xA;</Envelope>'],
    ['50 levels', nested(50)],
    ['white space between elements', envelope('\r\n <a> x </a>\t<b />\n')],
    ['both halves of a character pair', envelope('<a>\u{1f600}</a>')],
  ])('finds nothing in %s', (_what, xml) => {
    expect(findMarkupFault(xml)).toBeUndefined();
  });

  it.each([
    ['a document type with entities', BOMB, /document type|entity/],
    ['an entity of HTML', '<Envelope>&nbsp;</Envelope>', /entity/],
    ['a bare &', '<Envelope>a & b</Envelope>', /entity/],
    ['a document type', '<!DOCTYPE html><Envelope/>', /document type/],
    ['an external entity', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><Envelope/>', /document type/],
    ['CDATA', envelope('<![CDATA[<?xml version="1.0"?><x/>]]>'), /CDATA/],
    ['a comment', envelope('<!-- x -->'), /comment/],
    ['a processing instruction', envelope('<?php ?>'), /instruction/],
    ['a second declaration', `<?xml version="1.0"?><?xml version="1.0"?><Envelope/>`, /instruction/],
    ['a style sheet instead of a declaration', '<?xml-stylesheet href="x"?><Envelope/>', /instruction/],
    ['an id', envelope('<a id="__proto__"/>'), /refers/],
    ['an href', envelope(`<a x="1" href='#b'/>`), /refers/],
    ['another root', '<html></html>', /not one SOAP envelope/],
    ['a second root', '<Envelope/><Envelope/>', /not one SOAP envelope/],
    ['a root behind the end', `${envelope('')}<x/>`, /not one SOAP envelope/],
    ['text alone', 'Service Unavailable', /not one SOAP envelope/],
    ['nothing', '', /not one SOAP envelope/],
    ['a name that no service uses', envelope('<__proto__/>'), /well-formed/],
    ['an open tag', '<Envelope', /well-formed/],
    ['an attribute without quotes', '<Envelope a=1/>', /well-formed/],
    ['a bare <', '<Envelope>1 < 2</Envelope>', /well-formed/],
    ['51 levels', nested(51), /deeper than 50/],
    ['text behind an element', envelope('<a><b/>OK</a>'), /text beside elements/],
    ['text before an element', envelope('<a>OK<b/></a>'), /text beside elements/],
    ['text between elements', envelope('<a></a>&#65;<b></b>'), /text beside elements/],
    ['a NUL', envelope('<a>\0</a>'), /character that XML does not know/],
    ['half a character pair', envelope('<a>\ud83d</a>'), /character that XML does not know/],
  ])('finds %s', (_what, xml, why) => {
    expect(findMarkupFault(xml)).toMatch(why);
  });

  it('counts elements, and is quick with answers made to be slow', () => {
    const many = (count: number, piece: (index: number) => string) =>
      `<Envelope>${Array.from({ length: count }, (_, index) => piece(index)).join('')}</Envelope>`;
    expect(findMarkupFault(many(249_999, () => '<a/>'))).toBeUndefined();
    expect(findMarkupFault(many(250_000, () => '<a/>'))).toMatch(
      /more than 250000 elements, attributes and references/,
    );
    expect(findMarkupFault(many(250_000, () => '&amp;'))).toMatch(
      /more than 250000 elements, attributes and references/,
    );
    expect(findMarkupFault(many(125_000, () => '<a b="c"/>'))).toMatch(/more than 250000 elements/);
    expect(findMarkupFault(many(499, (index) => `<a${index}/>`))).toBeUndefined();
    expect(findMarkupFault(many(500, (index) => `<a${index}/>`))).toMatch(/more than 500 names/);
    expect(findMarkupFault(`<Envelope a="${'x'.repeat(1900)}"/>`)).toBeUndefined();
    expect(findMarkupFault(`<Envelope a="${'x'.repeat(2000)}"/>`)).toMatch(/well-formed/);
    for (const slow of [`<a ${' '.repeat(1e6)}`, `<a b="${'x'.repeat(1e6)}`, '<a b="'.repeat(1e5), '<'.repeat(1e6)]) {
      expect(findMarkupFault(slow)).toMatch(/well-formed/);
    }
  });
});

function nested(levels: number): string {
  return `<Envelope>${'<a>'.repeat(levels - 1)}${'</a>'.repeat(levels - 1)}</Envelope>`;
}
