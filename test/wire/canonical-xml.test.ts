import { describe, expect, it } from 'vitest';
import { canonicalXml } from './support/golden-cases.ts';

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
