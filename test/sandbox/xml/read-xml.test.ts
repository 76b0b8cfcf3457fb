import { describe, expect, it } from 'vitest';
import { expandReferences, readXml, type XmlElement } from '../../../src/sandbox/xml/read-xml.ts';
import { element, escapeText, textElement } from '../../../src/sandbox/xml/write-xml.ts';
import { canonicalXml } from '../../wire/support/golden-cases.ts';

describe('readXml', () => {
  it('reads elements, attributes, text and CDATA', () => {
    const root = read(
      '<?xml version="1.0" encoding="utf-8"?>\n<!-- a < b --><p:a xmlns:p="n" x=\'1 "&lt;\'>one<b/>two<![CDATA[<&]]></p:a >\n<?end?>',
    );
    expect(root).toMatchObject({ name: 'a', prefix: 'p', text: 'onetwo<&' });
    expect(root.attributes).toEqual(
      new Map([
        ['xmlns:p', 'n'],
        ['x', '1 "<'],
      ]),
    );
    expect(root.children.map(({ name, prefix, text }) => ({ name, prefix, text }))).toEqual([
      { name: 'b', prefix: '', text: '' },
    ]);
  });

  it('reads line ends as line feeds', () => {
    expect(read('<a>1\r\n2\r3\n</a>').text).toBe('1\n2\n3\n');
  });

  it('knows prefixes declared further out', () => {
    expect(read('<p:a xmlns:p="n"><b><p:c/></b></p:a>').children[0]?.children[0]?.prefix).toBe('p');
  });

  it('takes 50 levels and not one more', () => {
    expect(read(nested(50)).name).toBe('a');
    expect(faultOf(nested(51))).toContain('nested more than 50 levels deep');
  });

  it('reads a large text without growing slow', () => {
    const text = 'QUJD'.repeat(500_000);
    expect(read(`<a><b>${text}</b></a>`).children[0]?.text).toHaveLength(2_000_000);
  });

  it.each([
    ['nothing', '', 'Root element is missing.'],
    ['blanks only', ' \n', 'Root element is missing.'],
    ['text only', 'hello', 'Data at the root level is invalid.'],
    ['text after the root', '<a/>x', 'Data at the root level is invalid.'],
    ['CDATA outside the root', '<![CDATA[ ]]><a/>', 'Data at the root level is invalid.'],
    ['two roots', '<a/><b/>', 'There are multiple root elements.'],
    ['an open element', '<a><b></b>', 'An element is not closed.'],
    ['crossed elements', '<a><b></a></b>', 'An end tag does not match its start tag.'],
    ['a closing tag alone', '</a>', 'An end tag does not match its start tag.'],
    ['another prefix at the end', '<p:a xmlns:p="n"></a>', 'An end tag does not match its start tag.'],
    ['an undeclared prefix', '<p:a/>', "'p' is an undeclared prefix."],
    ['an undeclared prefix of an attribute', '<a p:x="1"/>', "'p' is an undeclared prefix."],
    ['a prefix declared beside, not around', '<a><b xmlns:p="n"/><p:c/></a>', "'p' is an undeclared prefix."],
    ['an attribute twice', '<a x="1" x="2"/>', "'x' is a duplicate attribute name."],
    ['an attribute without quotes', '<a x=1/>', 'A start tag is not written as one.'],
    ['attributes without a gap', '<a x="1"y="2"/>', 'A start tag is not written as one.'],
    ['a bare ampersand', '<a>1 & 2</a>', 'Invalid character or reference in character data.'],
    ['an entity of HTML', '<a>&nbsp;</a>', 'Invalid character or reference in character data.'],
    ['a bare ampersand in an attribute', '<a x="&"/>', 'Invalid character or reference in an attribute.'],
    ['a control character', '<a>\u0000</a>', 'Invalid character in character data.'],
    ['a control character by number', '<a>&#8;</a>', 'Invalid character in character data.'],
    ['a control character in CDATA', '<a><![CDATA[\u0001]]></a>', 'Invalid character in character data.'],
    ['the end of CDATA in text', '<a>]]></a>', "']]>' is not allowed"],
    ['an open CDATA', '<a><![CDATA[x</a>', 'while parsing CDATA'],
    ['an open comment', '<a><!-- x</a>', 'while parsing comment'],
    ['an open instruction', '<a><? x</a>', 'while parsing processing instruction'],
    ['a name that is none', '<1/>', 'Name cannot begin with this character'],
    ['a cut document', '<a><b', 'A start tag is not written as one.'],
    ['a DOCTYPE', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 'DTD is prohibited'],
    ['a DOCTYPE inside', '<a><!DOCTYPE a></a>', 'DTD is prohibited'],
  ])('refuses %s', (_, document, fault) => {
    expect(faultOf(document)).toContain(fault);
  });

  it('names the place of a fault', () => {
    expect(faultOf('<a>\n  <b></c>')).toMatch(/^There is an error in XML document \(2, 10\)\. ---> An end tag/);
  });
});

function read(document: string): XmlElement {
  const root = readXml(document);
  if ('fault' in root) throw new Error(root.fault);
  return root;
}

function faultOf(document: string): string {
  const root = readXml(document);
  return 'fault' in root ? root.fault : 'no fault';
}

function nested(levels: number): string {
  return '<a>'.repeat(levels) + '</a>'.repeat(levels);
}

describe('expandReferences', () => {
  it.each([
    ['plain; text', 'plain; text'],
    ['&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['&#65;&#x42;&#x1F600;', 'AB\u{1F600}'],
    ['&amp;lt;', '&lt;'],
    ['&#13;&#10;', '\r\n'],
  ])('reads %j', (raw, text) => {
    expect(expandReferences(raw)).toBe(text);
  });

  it.each([
    '&',
    'a & b',
    '&nbsp;',
    '&LT;',
    '&lt',
    '&#;',
    '&#x;',
    '&#xD800;',
    '&#x110000;',
    '&#9999999;',
    '&toolongtobe;',
  ])('refuses %j', (raw) => {
    expect(expandReferences(raw)).toBeUndefined();
  });
});

describe('textElement', () => {
  it('writes empty elements as .NET does', () => {
    expect(textElement('ERRORS', '')).toBe('<ERRORS />');
    expect(textElement('STATUS', 'Success')).toBe('<STATUS>Success</STATUS>');
  });

  it.each(['a & b < c > d', '"quoted" and \'so\'', 'line\r\nend', ']]>', '&amp;'])(
    'reads back as it was: %j',
    (text) => {
      expect(readXml(textElement('a', text))).toMatchObject({ text });
    },
  );
});

describe('element', () => {
  it('joins what it is given', () => {
    expect(element('a', '<b />', '<c>1</c>')).toBe('<a><b /><c>1</c></a>');
    expect(element('a')).toBe('<a />');
  });
});

describe('escapeText', () => {
  it('leaves quotes alone, as the service does', () => {
    expect(escapeText('"A1" is deleted')).toBe('"A1" is deleted');
  });
});

const REQUEST = '<a xmlns="urn:x"><b>1 &amp; 2</b><c></c></a>';

describe('canonicalXml', () => {
  it.each([
    ['another prefix', '<p:a xmlns:p="urn:x"><p:b>1 &amp; 2</p:b><p:c/></p:a>'],
    ['white space between elements', '<a xmlns="urn:x">\n  <b>1 &amp; 2</b>\n  <c />\n</a>\n'],
    ['another spelling of a character', '<a xmlns="urn:x"><b>1 &#38; 2</b><c></c></a>'],
  ])('takes %s for the same', (_what, document) => {
    expect(canonicalXml(document)).toEqual(canonicalXml(REQUEST));
  });

  it.each([
    ['another order', '<a xmlns="urn:x"><c></c><b>1 &amp; 2</b></a>'],
    ['another namespace', '<a xmlns="urn:y"><b>1 &amp; 2</b><c></c></a>'],
    ['a child without the namespace', '<a xmlns="urn:x"><b xmlns="">1 &amp; 2</b><c></c></a>'],
    ['white space in a value', '<a xmlns="urn:x"><b>1 &amp; 2\n</b><c></c></a>'],
    ['white space as a value', '<a xmlns="urn:x"><b>1 &amp; 2</b><c> </c></a>'],
    ['a missing element', '<a xmlns="urn:x"><b>1 &amp; 2</b></a>'],
    ['one element more', '<a xmlns="urn:x"><b>1 &amp; 2</b><c></c><c></c></a>'],
    ['an attribute', '<a xmlns="urn:x"><b>1 &amp; 2</b><c n="1"></c></a>'],
    ['other case', '<a xmlns="urn:x"><B>1 &amp; 2</B><c></c></a>'],
  ])('tells %s apart', (_what, document) => {
    expect(canonicalXml(document)).not.toEqual(canonicalXml(REQUEST));
  });

  it.each(['<a>x<b></b></a>', '<a><b></a>', ''])('refuses %j', (document) => {
    expect(() => canonicalXml(document)).toThrow();
  });
});
