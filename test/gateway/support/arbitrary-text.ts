import fc from 'fast-check';

/** Text that confuses XML, line ends, regular expressions and encodings. */
const TRAPS = [
  '&',
  '<',
  '>',
  '"',
  "'",
  ']]>',
  '&amp;',
  '&#13;',
  '&nope;',
  '<![CDATA[',
  '<![CDATA[x]]>',
  '<!-- ',
  '<?xml version="1.0"?>',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\n\r',
  '\u00a0',
  '\u0085',
  '\u2028',
  '\u3000',
  '\ufeff',
  'é',
  'e\u0301',
  'ß',
  '漢',
  '👩‍👩‍👧',
  '\u{1f600}',
  '\u{10ffff}',
  '\ufffd',
  '\ue000',
  '\ud7ff',
  '\u202e',
  '\u007f',
  '$&',
  '$1',
  '\\',
  '\\n',
  '%00',
  '${x}',
  '__proto__',
  'null',
  'true',
  '0',
  '-1',
  '1e3',
];

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TRAPS) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
);

/** Generates text that XML can carry, of at most `longest` UTF-16 units: empty, short or as long as allowed. */
export function arbitraryText(longest: number): fc.Arbitrary<string> {
  const short = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const full = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `${pieces.join('')}x`.repeat(longest));
  return fc
    .oneof({ weight: 8, arbitrary: short }, { weight: 1, arbitrary: full }, { weight: 1, arbitrary: fc.constant('') })
    .map((text) => cutText(text.replace(NOT_IN_XML, ''), longest));
}

/** Characters that no XML document can hold; the parameters refuse them. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Cuts text without splitting a surrogate pair. */
function cutText(text: string, longest: number): string {
  let cut = '';
  for (const character of text) {
    if (cut.length + character.length > longest) break;
    cut += character;
  }
  return cut;
}
