/** Deeper than any answer of the service, which stays below ten. */
const DEEPEST = 50;
/** Elements, attributes and references; a list of 8,000 customers has as many. More would take too much memory. */
const MOST_MARKS = 250_000;
/** Ten times the names that the service uses. The parser keeps each of them. */
const MOST_NAMES = 500;
/** The service's longest tag is the envelope with its three namespaces, 200 characters. */
const LONGEST_TAG = 2000;

/**
 * Checks an answer before the parser sees it. Returns why it must not be parsed; undefined when it may.
 *
 * The service answers with a declaration, elements and text only. Everything else is refused unread:
 * - document types and their entities, which can blow up
 * - CDATA, from which node-soap takes markup that no check has seen
 * - `id` and `href`, with which node-soap copies values between elements and can be made to write into
 *   `Object.prototype`
 * - text beside elements, of which node-soap keeps only one
 * - a second root, which would be parsed as well
 */
export function findMarkupFault(xml: string): string | undefined {
  if (NOT_IN_XML.test(xml)) return 'the answer holds a character that XML does not know';
  if (ENTITY.test(xml)) return 'the answer holds an entity that XML does not know';
  const names = new Set<string>();
  let depth = 0;
  let marks = countReferences(xml);
  let before: Tag | undefined;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
    if (xml.startsWith('<!', at)) return 'the answer holds a document type, a comment or CDATA';
    if (xml.startsWith('<?', at)) {
      if (at === 0 && xml.startsWith('<?xml ')) continue;
      return 'the answer holds a processing instruction';
    }
    const tag = readTag(xml, at);
    if (!tag) return 'the answer is not well-formed XML';
    if (/\s(?:id|href)\s*=/.test(tag.attributes)) return 'the answer refers from one element to another';
    if (before && isTextMisplaced(xml, before, tag)) return 'the answer holds text beside elements';
    before = tag;
    if (tag.isClosing) {
      depth -= 1;
      continue;
    }
    if (depth === 0 && (names.size > 0 || tag.name !== 'Envelope')) return 'the answer is not one SOAP envelope';
    marks += tag.attributes.split('=').length;
    if (marks > MOST_MARKS) return `the answer has more than ${MOST_MARKS} elements, attributes and references`;
    if (names.add(tag.name).size > MOST_NAMES) return `the answer has more than ${MOST_NAMES} names of elements`;
    if (depth >= DEEPEST) return `the answer is nested deeper than ${DEEPEST}`;
    if (!tag.isEmpty) depth += 1;
  }
  return names.size === 0 ? 'the answer is not one SOAP envelope' : undefined;
}

/** Characters that no XML document may hold, not even as a numeric reference. */
export const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/u;

/** Any entity but XML's five and numeric references. node-soap would accept those of HTML as well. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/;

function countReferences(xml: string): number {
  let count = 0;
  for (let at = xml.indexOf('&'); at !== -1; at = xml.indexOf('&', at + 1)) count += 1;
  return count;
}

type Tag = {
  readonly isClosing: boolean;
  readonly isEmpty: boolean;
  readonly name: string;
  readonly attributes: string;
  readonly from: number;
  readonly to: number;
};

/** One tag: closing or not, prefix, name, attributes with quoted values, empty or not. */
const TAG =
  /^<(\/?)(?:[A-Za-z][\w.-]*:)?([A-Za-z][\w.-]*)((?:\s+(?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/;

/** Reads a tag from a slice of the document, because matching a huge tag would exhaust the stack. */
function readTag(xml: string, from: number): Tag | undefined {
  const match = TAG.exec(xml.slice(from, from + LONGEST_TAG));
  if (!match) return undefined;
  const [whole, closing, name = '', attributes = '', empty] = match;
  return { isClosing: closing === '/', isEmpty: empty === '/', name, attributes, from, to: from + whole.length };
}

/** Returns whether text stands anywhere but between the two tags of one element. */
function isTextMisplaced(xml: string, before: Tag, tag: Tag): boolean {
  const isInside = !before.isClosing && !before.isEmpty && tag.isClosing;
  return !isInside && xml.slice(before.to, tag.from).trim() !== '';
}
