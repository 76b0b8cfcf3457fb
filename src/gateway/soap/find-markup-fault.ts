/** Deeper than any answer of the service, which stays below ten (F95). */
const DEEPEST = 50;
/** Twenty times the elements of the longest list the service could send within the largest answer we take. */
const MOST_ELEMENTS = 1_000_000;

/**
 * Looks through an answer before the parser sees it, and says why it must not be parsed; undefined when it may.
 *
 * The service answers with a declaration, elements and text, nothing else. All else is refused unread: document types
 * and their entities, which can blow up; CDATA, from which node-soap takes markup that no check has seen; `id` and `href`,
 * with which node-soap copies values between elements and can be made to write into the prototype of all objects. A
 * second root would be parsed as well, so an answer with something behind its end is not a whole answer.
 */
export function findMarkupFault(xml: string): string | undefined {
  if (ENTITY.test(xml)) return 'the answer holds an entity that XML does not know';
  let depth = 0;
  let elements = 0;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
    if (xml.startsWith('<!', at)) return 'the answer holds a document type, a comment or CDATA';
    if (xml.startsWith('<?', at)) {
      if (at === 0 && xml.startsWith('<?xml ')) continue;
      return 'the answer holds a processing instruction';
    }
    const tag = readTag(xml, at);
    if (!tag) return 'the answer is not well-formed XML';
    if (/\s(?:id|href)\s*=/.test(tag.attributes)) return 'the answer refers from one element to another';
    if (tag.isClosing) {
      depth -= 1;
      continue;
    }
    if (depth === 0 && (elements > 0 || tag.name !== 'Envelope')) return 'the answer is not one SOAP envelope';
    elements += 1;
    if (elements > MOST_ELEMENTS) return `the answer has more than ${MOST_ELEMENTS} elements`;
    if (depth >= DEEPEST) return `the answer is nested deeper than ${DEEPEST}`;
    if (!tag.isEmpty) depth += 1;
  }
  return elements === 0 ? 'the answer is not one SOAP envelope' : undefined;
}

/** Anything but the five of XML and characters by their number. node-soap would take those of HTML as well. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/;

/** One tag at one place: closing or not, prefix, name, attributes with their values in quotes, empty or not. */
const TAG = /<(\/?)(?:[A-Za-z][\w.-]*:)?([A-Za-z][\w.-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;

function readTag(xml: string, at: number) {
  TAG.lastIndex = at;
  const match = TAG.exec(xml);
  if (!match) return undefined;
  const [, closing, name = '', attributes = '', empty] = match;
  return { isClosing: closing === '/', name, attributes, isEmpty: empty === '/' };
}
