import { type Charset, decoderOfLines } from '../../../src/csv/read/open-plain-text.ts';
import { type LineRecord, splitPayments } from '../../../src/csv/read/split-cells.ts';
import {
  blankFilter,
  type FileShape,
  GROUP_LINES,
  type Line,
  LONGEST_LINE,
} from '../../../src/csv/read/split-lines.ts';

/** Defines the records of a file, one per line that is not blank, in groups. */
export async function* readRecords(...order: Parameters<typeof readLines>): AsyncGenerator<LineRecord[]> {
  for await (const lines of readLines(...order)) yield splitPayments(lines);
}

/**
 * Reads the lines of a file that are not blank, in groups. It decodes the whole file and cuts the text.
 * @param shape filled in while reading
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  charset: Charset,
  shape: FileShape,
  groupLines = GROUP_LINES,
): AsyncGenerator<Line[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  const text = decode(Buffer.concat(pieces), charset);
  const lines = text.split(/\r\n|[\r\n]/).map((line, index): Line => {
    const tooLong = line.length > LONGEST_LINE;
    return { number: index + 1, text: tooLong ? '' : line, tooLong };
  });
  const last = text === '' || /[\r\n]$/.test(text) ? undefined : lines.at(-1);
  const kept: Line[] = [];
  const filter = blankFilter(shape);
  for (const line of lines.slice(0, -1)) filter.take(line, kept);
  filter.takeLast(last, kept);
  shape.physicalLines = last ? lines.length : lines.length - 1;
  shape.mixesLineEnds = new Set(text.match(/\r\n|[\r\n]/g)).size > 1;
  for (let at = 0; at < kept.length; at += groupLines) yield kept.slice(at, at + groupLines);
}

function decode(bytes: Buffer, charset: Charset): string {
  const start = bytes.toString('latin1', 0, 3);
  if (start === '\xef\xbb\xbf') return bytes.toString('utf8', 3);
  if (start.startsWith('\xff\xfe')) return new TextDecoder('utf-16le').decode(bytes);
  if (start.startsWith('\xfe\xff')) return new TextDecoder('utf-16be').decode(bytes);
  return decoderOfLines(charset)(bytes);
}
