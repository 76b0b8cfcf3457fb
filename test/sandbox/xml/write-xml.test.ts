import { describe, expect, it } from 'vitest';
import { readXml } from '../../../src/sandbox/xml/read-xml.ts';
import { element, escapeText, textElement } from '../../../src/sandbox/xml/write-xml.ts';

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
