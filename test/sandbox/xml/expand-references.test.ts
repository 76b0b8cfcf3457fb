import { describe, expect, it } from 'vitest';
import { expandReferences } from '../../../src/sandbox/xml/read-xml.ts';

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
