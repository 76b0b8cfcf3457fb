import {
  byteCounter,
  type CheckedRow,
  checkPaymentFile,
  type CheckRules,
  decideVerdict,
  type FileCheck,
} from '../../../src/csv/check/check-payment-file.ts';
import { unpackRows } from '../../../src/csv/write/packed-rows.ts';
import type { Fault, PaymentRow } from '../../../src/rows/rows.ts';
import { recordChecker } from '../../../src/csv/check/check-records.ts';
import { faultTally } from '../../../src/csv/check/fault-effect.ts';
import {
  blankFilter,
  type FileShape,
  GROUP_LINES,
  type Line,
  LONGEST_LINE,
  newFileShape,
} from '../../../src/csv/read/split-lines.ts';
import { type LineRecord, splitPayments } from '../../../src/csv/read/split-cells.ts';
import { type Charset, decoderOfLines, faultOfKind, tellKind } from '../../../src/csv/read/open-plain-text.ts';

/** Everything a check yields, by either method. */
export type Outcome = {
  readonly payments: readonly PaymentRow[];
  readonly withheld: readonly CheckedRow[];
  readonly faults: readonly Fault[];
  readonly check: FileCheck;
};

/** Checks a payment file as paydrop does, and keeps everything it yields. */
export async function checkByBytes(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  groupLines?: number,
): Promise<Outcome> {
  const payments: PaymentRow[] = [];
  const withheld: CheckedRow[] = [];
  const faults: Fault[] = [];
  const steps = checkPaymentFile(source, rules, groupLines === undefined ? {} : { groupLines });
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done) return { payments, withheld, faults, check: step.value };
    payments.push(...unpackRows(step.value));
    withheld.push(...step.value.withheld);
    faults.push(...step.value.faults);
  }
}

export function outcomeOf({ rows, check }: Reading): Outcome {
  return {
    payments: rows.flatMap(({ payment }) => payment ?? []),
    withheld: rows.filter(({ payment }) => !payment),
    faults: rows.flatMap(({ faults }) => faults),
    check,
  };
}

/** Full result of a check: its rows, valid or not, in line order, and its final figures. */
export type Reading = { readonly rows: readonly CheckedRow[]; readonly check: FileCheck };

/**
 * Checks a payment file the plain way: it decodes everything, cuts lines into texts and applies each text's rule. It is
 * slow and easy to follow, so the check by bytes must agree with it.
 */
export async function checkByReference(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  groupLines?: number,
): Promise<Reading> {
  const counter = byteCounter();
  const shape = newFileShape();
  const tally = faultTally(rules.folder);
  const checker = recordChecker(rules, tally);
  const rows: CheckedRow[] = [];
  const pieces: Uint8Array[] = [];
  for await (const piece of counter.pass(source)) pieces.push(piece);
  const kind = tellKind(Buffer.concat(pieces));
  if (kind) checker.refuse(faultOfKind(kind));
  for await (const lines of readLines(kind ? [] : pieces, rules.folder.charset, shape, groupLines)) {
    rows.push(...checker.checkGroup(splitPayments(lines), lines));
  }
  const { layout, headerLine, faults, ...found } = checker.close();
  const decided = decideVerdict(
    { ...shape, layout, headerLine, faults, ...found, bytes: counter.size() },
    rules,
    tally,
  );
  const check: FileCheck = {
    verdict: decided.verdict,
    layout,
    headerLine,
    faults: [...faults, ...decided.faults],
    faultCounts: tally.counts(),
    bytes: counter.size(),
    sha256: counter.sha256(),
    physicalLines: shape.physicalLines,
    blankLines: shape.blankLines,
    records: found.records,
    valid: found.valid,
    invalid: { rows: found.records - found.valid.rows },
    declaredCents: found.declaredCents,
  };
  return { rows, check };
}

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
