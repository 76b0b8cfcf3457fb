import type { Readable } from 'node:stream';
import { PipelineError } from '../../kernel/errors.ts';

/** Parameters as typed, before they are parsed by kind. */
export type Given = Readonly<Record<string, string | boolean>>;

/**
 * Reads parameters from standard input: one JSON object of texts and booleans, or lines `name=value`. JSON numbers are
 * refused, because they would lose digits of a long card number and cents of an amount.
 * @throws PipelineError USAGE; it names places and names, never what was read
 */
export async function readInput(input: Readable & { readonly isTTY?: boolean }): Promise<Given> {
  if (input.isTTY) throw fault('it is a terminal, which would show what is typed', 'Leave --stdin out to be asked.');
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array | string));
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  return text.trimStart().startsWith('{') ? readJson(text) : readLines(text);
}

function readJson(text: string): Given {
  const entries = Object.entries(parseObject(text));
  const odd = entries.findIndex(([, value]) => typeof value !== 'string' && typeof value !== 'boolean');
  if (odd >= 0) throw fault(`entry ${odd + 1} of the object is neither text nor true or false`, 'Quote the value.');
  return Object.fromEntries(entries as [string, string | boolean][]);
}

/** Parses JSON. The parser's own message is dropped: it quotes the text, which may be a card number. */
function parseObject(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw fault('it is not a JSON object', 'Write {"name": "value"}, or lines name=value.');
  }
}

function readLines(text: string): Given {
  const given: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([A-Za-z]\w*)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw fault(`line ${index + 1} is not name=value`);
    if (Object.hasOwn(given, name)) throw fault(`line ${index + 1} gives ${name} a second time`);
    given[name] = value.trim();
  }
  return given;
}

function fault(reason: string, next = 'Write one parameter a line.'): PipelineError {
  return new PipelineError('USAGE', 'read parameters from standard input', reason, { next });
}
