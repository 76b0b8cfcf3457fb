import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** One way to corrupt the bytes of an answer. */
export type Spoil = (body: Buffer) => Buffer;

/**
 * Generates ways to corrupt an answer. Bytes are cut, doubled, swapped, flipped and inserted, also after tags; the
 * whole is wrapped, doubled or re-encoded.
 */
export function arbitrarySpoil(): fc.Arbitrary<Spoil> {
  return fc
    .array(fc.oneof(cut, erase, double, swap, flip, putIn(PIECES), atTag(PIECES), whole, huge), {
      minLength: 1,
      maxLength: 3,
    })
    .map((spoils) =>
      nameSpoil(spoils.map(String).join(', then '), (body) => spoils.reduce((bytes, spoil) => spoil(bytes), body)),
    );
}

/** Random bytes, or pieces of XML in random order. */
export const arbitraryGarbage: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom(...'<>/"= &;#x?![]', 'Envelope', 'Body', '\r\n'), { maxLength: 60 })
    .map((pieces) => Buffer.from(pieces.join(''))),
);

const PIECES = [
  '&amp; &#13; &#0; &#xD800; &#x1F; &nbsp; &bomb; & < > </ /> <a> </a> <a/> <STATUS>Failure</STATUS> OK x'.split(' '),
  '<ERRORS>x</ERRORS> <TRANSACTIONID>X1</TRANSACTIONID> <BATCHID>2</BATCHID> <PROCESSRESULT/>'.split(' '),
  ['<AUTHORIZATIONRESULT>OK: 1:</AUTHORIZATIONRESULT>', '</PROCESSRESULT><PROCESSRESULT>', '<!-- x -->', '<?x y?>'],
  ['<![CDATA[OK: 1:]]>', '<!DOCTYPE a [<!ENTITY bomb "OK">]>', ' id="__proto__"', ' href="#a"', ' xmlns="x"'],
  [' xsi:nil="true"', ' a="b" a="c"', '\0', '\u0001', '\ufeff', '\ufffe', '\u{1f600}', '\r', '\n', '\u00a0', ' '],
].flat();

/** Not text, so not among PIECES. */
const BYTES = ['ff', 'c328', 'eda080', 'c080'].map((hex) => Buffer.from(hex, 'hex'));

/** A position as a fraction of the whole. `fc.double` would seldom leave the two ends. */
export const place = fc.nat({ max: 9999 }).map((part) => part / 10_000);

const places = fc.tuple(place, place, place);

const cut = place.map((at) => nameSpoil(`cut at ${at}`, (body) => body.subarray(0, indexIn(body, at))));

const erase = places.map(([from, size]) =>
  nameSpoil(`erase from ${from}`, (body) => {
    const start = indexIn(body, from);
    return Buffer.concat([body.subarray(0, start), body.subarray(start + Math.ceil(size * 40))]);
  }),
);

const double = places.map(([from, to, at]) =>
  nameSpoil(`double ${from} to ${to} at ${at}`, (body) => insert(body, at, between(body, from, to))),
);

const swap = places.map(([from, to]) =>
  nameSpoil(`swap at ${from} and ${to}`, (body) => {
    const [first = 0, second = 0] = [indexIn(body, from), indexIn(body, to)].sort((one, other) => one - other);
    return Buffer.concat([body.subarray(second), body.subarray(first, second), body.subarray(0, first)]);
  }),
);

const flip = fc.tuple(place, fc.nat(7)).map(([at, bit]) =>
  nameSpoil(`flip bit ${bit} at ${at}`, (body) => {
    const copy = Buffer.from(body);
    const index = Math.min(indexIn(body, at), body.length - 1);
    if (index >= 0) copy[index] = (copy[index] ?? 0) ^ (1 << bit);
    return copy;
  }),
);

function putIn(pieces: readonly string[]): fc.Arbitrary<Spoil> {
  return fc
    .tuple(place, fc.constantFrom(...pieces.map((piece) => Buffer.from(piece)), ...BYTES))
    .map(([at, piece]) => nameSpoil(`put ${piece.toString('hex')} in at ${at}`, (body) => insert(body, at, piece)));
}

/** Inserts right after a tag, where a piece more often makes another document than a broken one. */
function atTag(pieces: readonly string[]): fc.Arbitrary<Spoil> {
  return fc.tuple(place, fc.constantFrom(...pieces)).map(([at, piece]) =>
    nameSpoil(`put ${JSON.stringify(piece)} behind the tag at ${at}`, (body) => {
      const tag = body.indexOf('>', indexIn(body, at));
      return tag < 0 ? body : Buffer.concat([body.subarray(0, tag + 1), Buffer.from(piece), body.subarray(tag + 1)]);
    }),
  );
}

const whole = fc.constantFrom(
  nameSpoil('twice', (body) => Buffer.concat([body, body])),
  nameSpoil('as UTF-16', (body) => Buffer.from(body.toString('utf8'), 'utf16le')),
  nameSpoil('compressed', (body) => gzipSync(body)),
  nameSpoil('with a byte order mark', (body) => Buffer.concat([Buffer.from('\ufeff'), body])),
  nameSpoil('in another element', (body) => Buffer.concat([Buffer.from('<a>'), body, Buffer.from('</a>')])),
  nameSpoil('backwards', (body) => Buffer.from(body).reverse()),
  nameSpoil('empty', () => Buffer.alloc(0)),
);

const SIZES = [60, 1000, 100_000];

const huge = fc
  .tuple(
    fc.constantFrom<(size: number) => string>(
      (size) => '<a>'.repeat(size) + '</a>'.repeat(size),
      (size) => `<a b="${'x'.repeat(size * 5)}"/>`,
      (size) => '<a/>'.repeat(size),
      (size) => `<a>${'1 '.repeat(size * 5)}</a>`,
      (size) => '&amp;'.repeat(size),
      (size) => `<ERRORS>${'4222222222222220 '.repeat(size)}</ERRORS>`,
    ),
    fc.constantFrom(...SIZES),
    place,
  )
  .map(([make, size, at]) =>
    nameSpoil(`${make(1)} ${size} times at ${at}`, (body) => {
      const tag = body.indexOf('>', indexIn(body, at)) + 1;
      return Buffer.concat([body.subarray(0, tag), Buffer.from(make(size)), body.subarray(tag)]);
    }),
  );

/** Names a corruption; a failing case would otherwise show its source code. */
export function nameSpoil(name: string, spoil: Spoil): Spoil {
  return Object.assign((body: Buffer) => spoil(body), { toString: () => name, [fc.toStringMethod]: () => name });
}

function insert(body: Buffer, at: number, piece: Buffer): Buffer {
  const index = indexIn(body, at);
  return Buffer.concat([body.subarray(0, index), piece, body.subarray(index)]);
}

function between(body: Buffer, from: number, to: number): Buffer {
  const [start = 0, end = 0] = [indexIn(body, from), indexIn(body, to)].sort((one, other) => one - other);
  return body.subarray(start, end);
}

function indexIn(body: Buffer, at: number): number {
  return Math.floor(at * body.length);
}

/**
 * Generates changes to what an answer says that keep it a document. An innermost element gets other text, is dropped or
 * doubled, takes another's text, or gets content beside its text.
 * @param secrets texts that a hostile service could repeat
 */
export function arbitraryTwist(secrets: readonly string[]): fc.Arbitrary<Spoil> {
  const texts = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 6, arbitrary: fc.constantFrom(...secrets) },
    { weight: 6, arbitrary: fc.constantFrom(...secrets).map(wrap) },
    { weight: 1, arbitrary: hugeText },
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(place, texts).map(([at, text]) => twist(`say ${show(text)}`, at, setText(text))) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(place, fc.constantFrom(...BESIDE), fc.boolean())
        .map(([at, piece, isBefore]) => putBeside(at, piece, isBefore)),
    },
    { weight: 1, arbitrary: place.map((at) => twist('leave out', at, () => '')) },
    { weight: 1, arbitrary: place.map((at) => twist('double', at, (leaf) => leaf.whole.repeat(2))) },
    { weight: 2, arbitrary: fc.tuple(place, place).map(([from, to]) => moveText(from, to)) },
  );
}

/** What the service says, or seems to say, in places where it should not. */
const TEXTS = [
  ['OK', 'OK:', 'OK: 678594:', 'OK:Reject', 'ok', 'O K', 'OK: 1 OK: 2', ' REJECT: 15\n', 'REJECT: 99999', 'REJECT:'],
  ['', 'TIMEOUT', 'Error : x', '0Error:x', 'Bad request.', 'Success', 'Failure', 'null', '__proto__', '1000001'],
  ['\u0085OK', 'Batch Processing, Please Wait ....', 'Batch Process Has Been Done', 'Server Error', '\u{1f600}'],
  'A'.repeat(300),
].flat();

/** So long that an unbounded search would overflow the stack; few, because they are slow. */
const hugeText = fc
  .constantFrom('1 ', '4222222222222220 ', 'x', 'OK ', 'é')
  .map((piece) => piece.repeat(Math.ceil(4_000_000 / piece.length)));

const BESIDE = [
  '&#0; &#x1F; &#xD800; &amp; &#32; <a/> <a>OK</a> <AUTHORIZATIONRESULT/>'.split(' '),
  ['\u0001', '<!-- x -->'],
].flat();

type Leaf = { readonly whole: string; readonly name: string; readonly text: string };
type Change = (leaf: Leaf) => string;

function setText(text: string): Change {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return ({ name }) => `<${name}>${escaped}</${name}>`;
}

function putBeside(at: number, piece: string, isBefore: boolean): Spoil {
  return twist(`put ${show(piece)} ${isBefore ? 'before' : 'behind'} the text`, at, ({ name, text }) =>
    isBefore ? `<${name}>${piece}${text}</${name}>` : `<${name}>${text}${piece}</${name}>`,
  );
}

/** Copies the text of one element into another. */
function moveText(from: number, to: number): Spoil {
  return nameSpoil(`say at ${to} what stands at ${from}`, (body) => {
    const leaves = leavesOf(body.toString('utf8'));
    const text = leaves[Math.floor(from * leaves.length)]?.text ?? '';
    return twist('', to, ({ name }) => `<${name}>${text}</${name}>`)(body);
  });
}

function twist(what: string, at: number, change: Change): Spoil {
  return nameSpoil(`${what} at ${at}`, (body) => {
    const xml = body.toString('utf8');
    const leaves = leavesOf(xml);
    const leaf = leaves[Math.floor(at * leaves.length)];
    if (!leaf) return body;
    return Buffer.from(xml.slice(0, leaf.index) + change(leaf) + xml.slice(leaf.index + leaf.whole.length));
  });
}

/** Returns the elements that hold nothing but text. */
function leavesOf(xml: string): (Leaf & { readonly index: number })[] {
  return [...xml.matchAll(/<([A-Z]\w*)(?: \/>|>([^<]*)<\/\1>)/g)].map((match) => {
    const [whole, name = '', text = ''] = match;
    return { whole, name, text, index: match.index };
  });
}

/** Puts a secret into other text, because an echo need not stand alone. */
function wrap(secret: string): string {
  return `A${secret}B`;
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
