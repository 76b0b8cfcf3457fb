import fc from 'fast-check';
import { nameSpoil, place, type Spoil } from './broken-bodies.ts';

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
