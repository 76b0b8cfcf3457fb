import { SaxesParser } from 'saxes';
import { refuse } from './refusal.ts';

/** Names are without a prefix. */
export type XmlHandlers = {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
};

const DEEPEST_LEVEL = 64;

/** Characters without the end of a tag or text. Cells have at most 32,767. */
const LONGEST_SILENCE = 1_048_576;

/** Parses a part and calls the handlers. It yields after each piece, when the handlers can be asked for results. */
export async function* parseXml(source: AsyncIterable<Uint8Array>, handlers: XmlHandlers): AsyncGenerator<void> {
  const decode = utf8Decoder();
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let silence = 0;
  parser.on('doctype', () => refuse('its XML has a document type, which could name entities'));
  parser.on('opentag', ({ name, attributes }) => {
    silence = 0;
    depth += 1;
    if (depth > DEEPEST_LEVEL) refuse('its XML is nested too deep');
    handlers.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    silence = 0;
    depth -= 1;
    handlers.close?.(localName(name));
  });
  const takeText = (text: string) => {
    silence = 0;
    handlers.text?.(text);
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);

  for await (const piece of source) {
    silence += piece.length;
    parser.write(decode(piece));
    if (silence > LONGEST_SILENCE) refuse('its XML has a text that is too long');
    yield;
  }
  parser.write(decode()).close();
  yield;
}

/** Parses a part whose content the handlers keep. */
export async function readXml(source: AsyncIterable<Uint8Array>, handlers: XmlHandlers): Promise<void> {
  const pieces = parseXml(source, handlers);
  while (!(await pieces.next()).done);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function utf8Decoder(): (piece?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (piece) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      return refuse('its XML is not UTF-8');
    }
  };
}

/** Returns whether an attribute says yes. */
export function isTrue(attribute: string | undefined): boolean {
  return attribute === '1' || attribute === 'true';
}
