import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadWsdl } from '../../../src/gateway/soap/load-wsdl.ts';
import { parseEnvelope } from '../../../src/gateway/soap/parse-envelope.ts';
import { isElements, readAnswer } from '../../../src/gateway/soap/read-answer.ts';
import { ACCEPTED, answerOf, batchResult, DONE, envelope, FAULT, success } from '../support/soap-answers.ts';

const NIL = 'xmlns:n="http://www.w3.org/2001/XMLSchema-instance" n:nil';

describe('parseEnvelope reads', () => {
  it.each([
    ['an empty envelope', '<Envelope/>', null],
    ['text, trimmed', '<Envelope>\r\n a b \t</Envelope>', 'a b'],
    ['the references of XML', '<Envelope>&amp;&lt;&gt;&quot;&apos;&#65;&#x42;</Envelope>', `&<>"'AB`],
    ['a reference in a reference, once', '<Envelope>&amp;lt;</Envelope>', '&lt;'],
    ['white space as a reference', '<Envelope>&#32;a&#xD;</Envelope>', ' a\r'],
    ['letters beyond ASCII', '<Envelope>é\u{1f600}</Envelope>', 'é\u{1f600}'],
    ['elements', '<Envelope><a>1</a><b><c/></b></Envelope>', { a: '1', b: { c: null } }],
    ['names without their prefixes', '<s:Envelope xmlns:s="u"><s:a>1</s:a></s:Envelope>', { a: '1' }],
    ['a repeated element', '<Envelope><a>1</a><b/><q:a>2</q:a><a/></Envelope>', { a: ['1', '2', null], b: null }],
    ['names of all objects', '<Envelope><constructor>1</constructor></Envelope>', { constructor: '1' }],
    ['an attribute', '<Envelope><a b="1" x:c=\'2\'>1</a></Envelope>', { a: { attributes: 'b x:c' } }],
    ['a namespace', '<Envelope><a xmlns="u" xmlns:q="v">1</a></Envelope>', { a: '1' }],
    ['a nil element', `<Envelope><a ${NIL}="true"/><a ${NIL}="1"></a></Envelope>`, null],
    ['an element that is not nil', `<Envelope><a ${NIL}="false"/></Envelope>`, { a: { attributes: 'n:nil' } }],
    ['nil of another namespace', '<Envelope><a n:nil="true"/></Envelope>', { a: { attributes: 'n:nil' } }],
  ])('%s', (_what, xml, found) => {
    expect(parseEnvelope(Buffer.from(xml))).toEqual({ envelope: found });
  });

  it.each([
    ['a short text in base64', 'QUJD', 'QUJD'],
    ['a long one', 'QUJD'.repeat(20_000), Buffer.from('ABC'.repeat(20_000))],
    ['a long text that is none', 'x y '.repeat(20_000), 'x y '.repeat(20_000).trim()],
    ['a long text in base64 with a line end', `${'QUJD'.repeat(20_000)}\n`, 'QUJD'.repeat(20_000)],
  ])('%s', (_what, text, found) => {
    const parsed = parseEnvelope(Buffer.from(`<Envelope>${text}</Envelope>`));
    expect(
      'envelope' in parsed &&
        (Buffer.isBuffer(found) ? found.equals(parsed.envelope as Buffer) : parsed.envelope === found),
    ).toBe(true);
  });

  const OPERATION = 'getBatchProcessResultFile';
  const ANSWER = answerOf(
    'GetBatchProcessResultFile',
    success(batchResult(DONE, '<BATCHID>77</BATCHID><BATCHPROCESSRESULTFILE>UmVj</BATCHPROCESSRESULTFILE>')),
  );

  it('nothing else than node-soap in an answer that is wrong anywhere', async () => {
    const piece = fc.constantFrom(
      ...'<>/&;"= x7A!-[]?\n\0\x80\xc3\xef'.split(''),
      '<a/>',
      '&#65;',
      ' a="b"',
      'q:',
      ` ${NIL}="1"`,
    );
    const change = fc.tuple(fc.nat(2_000), fc.nat({ max: 2 }), piece);
    let read = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        const letters = [...ANSWER];
        for (const [place, taken, added] of changes) letters.splice(place % letters.length, taken, added);
        const body = Buffer.from(letters.join(''), 'latin1');
        const parsed = parseEnvelope(body);
        if ('fault' in parsed) return;
        read += 1;
        const theirs = await loadWsdl(OPERATION, '')
          .then((wsdl) => wsdl.xmlToObject(body.toString()))
          .catch(() => undefined);
        // node-soap refuses a fault and another operation's answer, which are whole documents.
        if (theirs === undefined) expect(readAnswer(OPERATION, body).kind).toBe('unreadable');
        else expect(comparable(parsed.envelope)).toEqual(comparable(theirs));
      }),
      { numRuns: 300 },
    );
    expect(read).toBeGreaterThan(20);
  });
});

/** Leaves out attributes, which node-soap keeps under the name `undefined`, and the text beside them. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isElements(value)) return typeof value === 'string' ? value.trim() : value;
  const rest = Object.entries(value).filter(([name]) => !['attributes', 'undefined', '$value'].includes(name));
  return rest.length === 0
    ? 'attributes only'
    : Object.fromEntries(rest.map(([name, inside]) => [name, comparable(inside)]));
}

function faultOf(xml: string): string | undefined {
  const parsed = parseEnvelope(Buffer.from(xml));
  return 'fault' in parsed ? parsed.fault : undefined;
}

const BOMB =
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>' +
  '<Envelope><Body>&b;</Body></Envelope>';

describe('parseEnvelope refuses', () => {
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
    expect(faultOf(xml)).toBeUndefined();
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
    ['a nil element with text', envelope(`<a ${NIL}="true">1</a>`), /nil and not empty/],
    ['a nil element with an element', envelope(`<a ${NIL}="1"><b/></a>`), /nil and not empty/],
    ['a NUL', envelope('<a>\0</a>'), /character that XML does not know/],
    ['a character that Unicode keeps free', envelope('<a>\uffff</a>'), /character that XML does not know/],
    ['a NUL in an attribute', envelope('<a b="\0"/>'), /character that XML does not know/],
    ['a reference to a NUL', envelope('<a>&#0;</a>'), /character that XML does not know/],
    [
      'references to half a character pair each',
      envelope('<a>&#xd83d;&#xde00;</a>'),
      /character that XML does not know/,
    ],
    ['a reference beyond Unicode', envelope('<a>&#x110000;</a>'), /character that XML does not know/],
    ['a closing tag with an attribute', envelope('<a></a b="1">'), /well-formed/],
    ['a closing tag that is empty', envelope('<a></a/>'), /well-formed/],
    ['a closing tag of another element', envelope('<a></b>'), /well-formed/],
    ['a closing tag of another namespace', envelope('<q:a></a>'), /well-formed/],
    ['a closing tag alone', '</Envelope>', /well-formed/],
    ['an end too early', '<Envelope><Body>', /well-formed/],
    ['text before the envelope', 'x<Envelope/>', /text beside elements/],
    ['text behind the envelope', '<Envelope/>x', /text beside elements/],
    ['white space as a reference between elements', envelope('<a/>&#32;'), /text beside elements/],
  ])('finds %s', (_what, xml, why) => {
    expect(faultOf(xml)).toMatch(why);
  });

  it('counts elements, and is quick with answers made to be slow', () => {
    const many = (count: number, piece: (index: number) => string) =>
      `<Envelope>${Array.from({ length: count }, (_, index) => piece(index)).join('')}</Envelope>`;
    expect(faultOf(many(249_999, () => '<a/>'))).toBeUndefined();
    expect(faultOf(many(250_000, () => '<a/>'))).toMatch(/more than 250000 elements, attributes and references/);
    expect(faultOf(many(250_000, () => '&amp;'))).toMatch(/more than 250000 elements, attributes and references/);
    expect(faultOf(many(125_000, () => '<a b="c"/>'))).toMatch(/more than 250000 elements/);
    expect(faultOf(many(499, (index) => `<a${index}/>`))).toBeUndefined();
    expect(faultOf(many(500, (index) => `<a${index}/>`))).toMatch(/more than 500 names/);
    expect(faultOf(`<Envelope a="${'x'.repeat(1900)}"/>`)).toBeUndefined();
    expect(faultOf(`<Envelope a="${'x'.repeat(2000)}"/>`)).toMatch(/well-formed/);
    for (const slow of [`<a ${' '.repeat(1e6)}`, `<a b="${'x'.repeat(1e6)}`, '<a b="'.repeat(1e5), '<'.repeat(1e6)]) {
      expect(faultOf(slow)).toMatch(/well-formed/);
    }
  });
});

function nested(levels: number): string {
  return `<Envelope>${'<a>'.repeat(levels - 1)}${'</a>'.repeat(levels - 1)}</Envelope>`;
}
