/** An XML element; `name` has no prefix. */
export type XmlElement = {
  readonly name: string;
  readonly prefix: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Text directly in the element, without that of its children. */
  readonly text: string;
};

export type XmlFault = { readonly fault: string };

/**
 * Reads a whole XML document, as far as SOAP requests need: elements, attributes, text, CDATA, the five entities and
 * numeric references. Skips comments and processing instructions. Anything that is not well-formed is a fault. So is a
 * DOCTYPE, which could define entities that grow without end, and more of anything than a request can need, which would
 * hold up every other call: elements, and ten times as many tags, texts, comments and the like.
 *
 * The client's parser of answers (`src/gateway/soap/parse-envelope.ts`) is another: it refuses CDATA and comments, which
 * foreign clients may send, and keeps no text beside attributes. Separate code keeps the two sides of a call
 * independent: a reader cannot hide the same mistake in the client's writer.
 */
export function readXml(document: string, mostElements = MOST_ELEMENTS): XmlElement | XmlFault {
  const mostPieces = 10 * mostElements;
  const text = document
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .join('\n')
    .split('\r')
    .join('\n');
  const reader = startReader(text, mostElements);
  while (reader.at < reader.text.length) {
    const fault = reader.pieces === mostPieces ? tooMany('parts', mostPieces) : readNext(reader);
    reader.pieces += 1;
    if (fault !== undefined) return { fault: `There is an error in XML document ${placeOf(reader)}. ---> ${fault}` };
  }
  if (reader.open.length > 0) return { fault: 'Unexpected end of file has occurred. An element is not closed.' };
  return reader.root ?? { fault: 'Root element is missing.' };
}

const DEEPEST_LEVEL = 50;
/** Of a request, and attributes of one element. */
const MOST_ELEMENTS = 1000;

type OpenElement = {
  name: string;
  prefix: string;
  attributes: Map<string, string>;
  children: XmlElement[];
  text: string;
  /** Prefixes declared here or on an ancestor. */
  known: ReadonlySet<string>;
};

type Reader = {
  readonly text: string;
  at: number;
  readonly open: OpenElement[];
  root: XmlElement | undefined;
  elements: number;
  readonly mostElements: number;
  pieces: number;
};

/** One step of the reader; returns the fault it found, or undefined. */
type Step = (reader: Reader) => string | undefined;

function startReader(text: string, mostElements: number): Reader {
  const declaration = /^<\?xml\s[^>]*\?>/.exec(text)?.[0] ?? '';
  return { text, at: declaration.length, open: [], root: undefined, elements: 0, mostElements, pieces: 0 };
}

const readNext: Step = (reader) => {
  const { text, at } = reader;
  if (text[at] !== '<') return readText(reader);
  if (text.startsWith('<!--', at)) return skipComment(reader);
  if (text.startsWith('<![CDATA[', at)) return readCdata(reader);
  if (text.startsWith('<!', at)) return 'For security reasons DTD is prohibited in this XML document.';
  if (text.startsWith('<?', at)) return skipInstruction(reader);
  return text[at + 1] === '/' ? closeElement(reader) : openElement(reader);
};

const readText: Step = (reader) => {
  const next = reader.text.indexOf('<', reader.at);
  const end = next < 0 ? reader.text.length : next;
  const raw = reader.text.slice(reader.at, end);
  if (raw.includes(']]>')) return "']]>' is not allowed in character data.";
  const text = expandReferences(raw);
  if (text === undefined) return 'Invalid character or reference in character data.';
  return addText(reader, text, end);
};

const readCdata: Step = (reader) => {
  const start = reader.at + '<![CDATA['.length;
  const end = reader.text.indexOf(']]>', start);
  if (end < 0) return 'Unexpected end of file while parsing CDATA has occurred.';
  if (reader.open.length === 0) return 'Data at the root level is invalid.';
  return addText(reader, reader.text.slice(start, end), end + ']]>'.length);
};

function addText(reader: Reader, text: string, end: number): string | undefined {
  if (FORBIDDEN.test(text)) return 'Invalid character in character data.';
  const element = reader.open.at(-1);
  if (!element && text.trim() !== '') return 'Data at the root level is invalid.';
  if (element) element.text += text;
  reader.at = end;
  return undefined;
}

/** Characters that an XML document must not contain. */
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

const skipComment: Step = (reader) => skipPast(reader, reader.at + '<!--'.length, '-->', 'comment');
const skipInstruction: Step = (reader) => skipPast(reader, reader.at + '<?'.length, '?>', 'processing instruction');

function skipPast(reader: Reader, from: number, mark: string, what: string): string | undefined {
  const end = reader.text.indexOf(mark, from);
  if (end < 0) return `Unexpected end of file while parsing ${what} has occurred.`;
  reader.at = end + mark.length;
  return undefined;
}

const NAME = '([A-Za-z_\\u0080-\\uFFFD][\\w.\\-\\u0080-\\uFFFD]*)';
const QUALIFIED_NAME = `(?:${NAME}:)?${NAME}`;
const TAG_START = new RegExp(`<${QUALIFIED_NAME}`, 'y');
const TAG_END = /\s*(\/?)>/y;
const ATTRIBUTE = new RegExp(`\\s+(?:${NAME}:)?${NAME}\\s*=\\s*(?:"([^<"]*)"|'([^<']*)')`, 'y');
const CLOSING_TAG = new RegExp(`</${QUALIFIED_NAME}\\s*>`, 'y');

const openElement: Step = (reader) => {
  const start = matchAt(reader, TAG_START);
  if (!start) return "Name cannot begin with this character after '<'.";
  if (reader.open.length === 0 && reader.root) return 'There are multiple root elements.';
  if (reader.open.length === DEEPEST_LEVEL) return `The elements are nested more than ${DEEPEST_LEVEL} levels deep.`;
  if (reader.elements === reader.mostElements) return tooMany('elements', reader.mostElements);
  reader.elements += 1;
  const attributes = new Map<string, string>();
  const prefixes = new Set<string>(start[1] === undefined ? [] : [start[1]]);
  for (let found = matchAt(reader, ATTRIBUTE); found; found = matchAt(reader, ATTRIBUTE)) {
    const name = found[1] === undefined ? String(found[2]) : `${found[1]}:${found[2]}`;
    const value = expandReferences(found[3] ?? found[4] ?? '');
    if (value === undefined || FORBIDDEN.test(value)) return 'Invalid character or reference in an attribute.';
    if (attributes.size === MOST_ELEMENTS) return tooMany('attributes', MOST_ELEMENTS);
    if (attributes.has(name)) return `'${name}' is a duplicate attribute name.`;
    if (found[1] !== undefined && found[1] !== 'xmlns') prefixes.add(found[1]);
    attributes.set(name, value);
  }
  const end = matchAt(reader, TAG_END);
  if (!end) return 'A start tag is not written as one.';
  const known = withDeclared(reader.open.at(-1)?.known ?? ALWAYS_KNOWN, attributes);
  const stranger = [...prefixes].find((prefix) => !known.has(prefix));
  if (stranger !== undefined) return `'${stranger}' is an undeclared prefix.`;
  reader.open.push({ name: start[2] ?? '', prefix: start[1] ?? '', attributes, children: [], text: '', known });
  return end[1] === '/' ? endElement(reader) : undefined;
};

const closeElement: Step = (reader) => {
  const tag = matchAt(reader, CLOSING_TAG);
  const open = reader.open.at(-1);
  if (!tag || !open || open.name !== tag[2] || open.prefix !== (tag[1] ?? '')) {
    return 'An end tag does not match its start tag.';
  }
  return endElement(reader);
};

const endElement: Step = (reader) => {
  const done = reader.open.pop();
  if (!done) return 'An end tag stands without a start tag.';
  const { known: _, ...element } = done;
  const parent = reader.open.at(-1);
  if (parent) parent.children.push(element);
  else reader.root = element;
  return undefined;
};

const ALWAYS_KNOWN: ReadonlySet<string> = new Set(['xml']);

function withDeclared(known: ReadonlySet<string>, attributes: ReadonlyMap<string, string>): ReadonlySet<string> {
  const declared = [...attributes.keys()].filter((name) => name.startsWith('xmlns:')).map((name) => name.slice(6));
  return declared.length === 0 ? known : new Set([...known, ...declared]);
}

/** Matches a sticky expression at the reader's position and moves it past the match. */
function matchAt(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.text);
  if (found) reader.at = expression.lastIndex;
  return found ?? undefined;
}

function placeOf(reader: Reader): string {
  const { text, at } = reader;
  let line = 1;
  let start = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  return `(${line}, ${at - start + 1})`;
}

function tooMany(what: string, most: number): string {
  return `The document holds more than ${most} ${what}.`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);

/**
 * Replaces the references in XML text with the characters they stand for.
 * @returns undefined when an ampersand does not begin a reference that XML itself defines
 */
export function expandReferences(raw: string): string | undefined {
  let text = '';
  let from = 0;
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
    const end = raw.indexOf(';', at);
    const character = end < 0 || end - at > LONGEST_REFERENCE ? undefined : characterOf(raw.slice(at + 1, end));
    if (character === undefined) return undefined;
    text += raw.slice(from, at) + character;
    from = end + 1;
  }
  return from === 0 ? raw : text + raw.slice(from);
}

const LONGEST_REFERENCE = 10;

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) return ENTITIES.get(reference);
  if (!/^#(?:\d{1,7}|x[\dA-Fa-f]{1,6})$/.test(reference)) return undefined;
  const code = reference[1] === 'x' ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isSurrogate || code > 0x10ffff ? undefined : String.fromCodePoint(code);
}
