import type { Reply } from '../../reply.ts';
import { httpBytes, sendWhole } from './cut-answers.ts';
import type { Step } from '../play-steps.ts';

/** Documents that harm or mislead a parser that trusts them. */

/** Sends ten entities, each ten times the one before: a billion words from less than a thousand bytes. */
export function sendBomb(reply: Reply): Step[] {
  const entities = Array.from({ length: 9 }, (_, index) => {
    const inside = `&x${index};`.repeat(10);
    return `<!ENTITY x${index + 1} "${inside}">`;
  });
  return sendInside(reply, `<!DOCTYPE bomb [<!ENTITY x0 "bomb">${entities.join('')}]>`, '<BOMB>&x9;</BOMB>');
}

/** Refers to the discard port of the reader's own machine, so a fetch goes nowhere. */
export function referToFile(reply: Reply): Step[] {
  const entity = '<!DOCTYPE far [<!ENTITY far SYSTEM "http://127.0.0.1:9/far.txt">]>';
  return sendInside(reply, entity, '<FAR>&far;</FAR>');
}

/** Sends an HTML entity, which XML does not know. */
export function sendHtmlEntity(reply: Reply): Step[] {
  return sendInside(reply, '', '<NOTE>&nbsp;</NOTE>');
}

export function sendComment(reply: Reply): Step[] {
  return sendInside(reply, '', '<!-- <STATUS>Failure</STATUS> -->');
}

export function sendCdata(reply: Reply): Step[] {
  return sendInside(reply, '', '<NOTE><![CDATA[<STATUS>Failure</STATUS>]]></NOTE>');
}

/** Sends references of SOAP encoding, by which some parsers copy one element into another. */
export function referWithin(reply: Reply): Step[] {
  return sendInside(reply, '', '<NOTE href="#n1" /><NOTE id="n1">Failure</NOTE>');
}

export function nestDeeply(reply: Reply): Step[] {
  return sendInside(reply, '', '<N>'.repeat(DEPTH) + '</N>'.repeat(DEPTH));
}

export function sendTwoDocuments(reply: Reply): Step[] {
  return sendWhole({ ...reply, body: `${String(reply.body)}${String(reply.body)}` });
}

/** Puts 64 MB of spaces into the answer. */
export function padHugely(reply: Reply): Step[] {
  const [start, end] = splitInside(String(reply.body));
  const sizeBytes = Buffer.byteLength(start) + Buffer.byteLength(end) + PADDING_MEGABYTES * MEGABYTE;
  const { head } = httpBytes(reply, { 'Content-Length': String(sizeBytes) });
  const megabyte: Step = { do: 'write', bytes: Buffer.alloc(MEGABYTE, ' ') };
  return [
    { do: 'write', bytes: head },
    { do: 'write', bytes: start },
    ...Array.from({ length: PADDING_MEGABYTES }, () => megabyte),
    { do: 'write', bytes: end },
    { do: 'finish' },
  ];
}

/** Sends a byte that begins a character, without the rest of it. */
export function breakCharacter(reply: Reply): Step[] {
  const [start, end] = splitInside(String(reply.body));
  const body = Buffer.concat([Buffer.from(`${start}<NOTE>caf`), Buffer.from([0xc3]), Buffer.from(`</NOTE>${end}`)]);
  return sendWhole({ ...reply, body });
}

export function encodeUtf16(reply: Reply): Step[] {
  const body = Buffer.from(`\uFEFF${String(reply.body).replace('"utf-8"', '"utf-16"')}`, 'utf16le');
  return sendWhole({ ...reply, contentType: reply.contentType.replace('utf-8', 'utf-16'), body });
}

/** Sends the mark that some editors and servers put before UTF-8; it is harmless. */
export function markByteOrder(reply: Reply): Step[] {
  return sendWhole({ ...reply, body: `\uFEFF${String(reply.body)}` });
}

const DEPTH = 100_000;
const MEGABYTE = 1024 * 1024;
const PADDING_MEGABYTES = 64;

/** Sends the answer with text added before the root and at the end of its content. */
function sendInside(reply: Reply, beforeRoot: string, inside: string): Step[] {
  const [start, end] = splitInside(String(reply.body));
  const marked = start.replace('?>', () => `?>${beforeRoot}`);
  return sendWhole({ ...reply, body: marked + inside + end });
}

/** Splits the answer at the end of its content, or, without content such as in a fault, at the end of its SOAP body. */
function splitInside(body: string): [string, string] {
  const inside = body.lastIndexOf('</IATSRESPONSE>');
  const at = inside >= 0 ? inside : Math.max(0, body.lastIndexOf('</soap:Body>'));
  return [body.slice(0, at), body.slice(at)];
}
