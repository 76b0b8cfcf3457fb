import { createHash } from 'node:crypto';
import type { FaultCode } from '../../../schemas/errors.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Fault, Totals } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import { blockChecker, type CheckedGroup } from './check-blocks.ts';
import { effectRules, faultTally } from './fault-effect.ts';
import { decoderOfLines, faultOfKind, openPlainText } from '../read/open-plain-text.ts';
import type { ProfileFindings } from '../profile/read-profile.ts';
import { readBlocks } from '../read/read-blocks.ts';
import { type FileShape, GROUP_LINES, newFileShape } from '../read/split-lines.ts';
import { recordChecker, type RecordsFound } from './check-records.ts';
import { byNumber, counted } from '../../kernel/counted.ts';

export type { CheckedRow } from './check-row.ts';
export type { CheckedGroup } from './check-blocks.ts';
export type { CheckRules } from './check-rules.ts';

/** What is known of a payment file once its last byte is read. */
export type FileCheck = {
  readonly verdict: 'accept' | 'hold' | 'reject';
  /** Null when no row has the columns of a layout. */
  readonly layout: LayoutName | null;
  readonly headerLine: number | null;
  /** Faults and warnings of the file as a whole and of its header; those of rows come with their rows. */
  readonly faults: readonly Fault[];
  /** Counts of all faults, including those of rows. */
  readonly faultCounts: Readonly<Partial<Record<FaultCode, number>>>;
  readonly bytes: number;
  readonly sha256: string;
  readonly physicalLines: number;
  readonly blankLines: number;
  /** Data rows, including unreadable ones: the valid and the invalid rows (control total H3). */
  readonly records: number;
  readonly valid: Totals;
  readonly invalid: { readonly rows: number };
  /** Sum of all readable amounts, including withheld rows. The sender's control total is compared with it. */
  readonly declaredCents: number;
  /** What the import profile found besides the payments, if one read the file. */
  readonly profile?: ProfileFindings;
};

export type CheckOptions = {
  /** Approximate size of the file. If set, the duplicate table can grow to its final size in one step. */
  readonly contentBytes?: number;
  /** Lines searched for header and layout; tests use fewer, so that short files are scanned. */
  readonly groupLines?: number;
};

/**
 * Reads a payment file once, from its first byte to its last, and checks every row. It yields rows in groups, only as
 * fast as the caller takes them. Apart from the table of duplicates, memory does not grow with the file.
 *
 * It never gives up halfway: one pass reports all faults, and size and hash cover the whole file. It yields only the
 * first thousand broken lines.
 * @returns the verdict and the totals, after all rows
 */
export async function* checkPaymentFile(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  { contentBytes = 0, groupLines = GROUP_LINES }: CheckOptions = {},
): AsyncGenerator<CheckedGroup, FileCheck> {
  const counter = byteCounter();
  const shape = newFileShape();
  const tally = faultTally(effectRules(rules.folder, rules.profile?.check.misfits));
  let bytesChecked = 0;
  const { text, reading } = await openRows(counter.pass(source), rules);
  const checker = recordChecker(rules, tally, {
    readShare: () => (contentBytes > 0 ? bytesChecked / contentBytes : 0),
    reading,
  });
  const { checkBlock } = blockChecker({
    rules,
    groupLines,
    checker,
    tally,
    shape,
    decodeLine: text.decodeLine,
    reading,
  });
  if (text.kind) {
    checker.refuse(faultOfKind(text.kind));
    await drain(text.source);
  }
  for await (const block of readBlocks(text.source)) {
    bytesChecked += block.bytes.length;
    const group = checkBlock(block);
    if (group.packed.count + group.faults.length > 0) yield group;
  }
  const found = checker.close();
  const profile = reading?.findings();
  profile?.faults.forEach(tally.count);
  if (profile) Object.assign(shape, { mixesLineEnds: profile.mixesLineEnds, isLastLineOpen: profile.isLastLineOpen });
  const mayBeCut = profile?.mayBeCut;
  const { verdict, faults } = decideVerdict({ ...shape, ...found, mayBeCut, bytes: counter.size() }, rules, tally);
  return {
    verdict,
    layout: found.layout,
    headerLine: found.headerLine,
    faults: [...(profile?.faults ?? []), ...found.faults, ...faults],
    faultCounts: tally.counts(),
    bytes: counter.size(),
    sha256: counter.sha256(),
    physicalLines: shape.physicalLines,
    blankLines: shape.blankLines,
    records: found.records,
    valid: found.valid,
    invalid: { rows: found.records - found.valid.rows },
    declaredCents: found.declaredCents,
    ...(profile && { profile }),
  };
}

/** Opens the rows of a file. An import profile makes them, line by line, and tells what it cannot read. */
async function openRows(source: AsyncIterable<Uint8Array>, { profile, folder, ...context }: CheckRules) {
  if (!profile) return { text: await openPlainText(source, folder.charset) };
  // Loaded only when needed, so that profiles cost nothing where there are none.
  const { readByProfile } = await import('../profile/read-profile.ts');
  const reading = readByProfile(source, profile, context);
  return { reading, text: { source: reading.source, decodeLine: decoderOfLines('utf-8'), kind: undefined } };
}

/** Reads a file that is refused unread to its end, for its size and its hash. */
async function drain(source: AsyncIterable<Uint8Array>): Promise<void> {
  const pieces = source[Symbol.asyncIterator]();
  while (!(await pieces.next()).done);
}

/** Larger pieces double the read time through page faults, and let the sender decide how much memory paydrop uses. */
const LARGEST_PIECE_BYTES = 65_536;

/**
 * Counts and hashes the bytes that pass through, in pieces of at most 64 KiB. Call `size` and `sha256` only after the
 * last byte has passed.
 */
export function byteCounter() {
  const hash = createHash('sha256');
  let bytes = 0;

  async function* pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield* cutPieces(chunk);
    }
  }

  return { pass, size: () => bytes, sha256: () => hash.digest('hex') };
}

function* cutPieces(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length; start += LARGEST_PIECE_BYTES) {
    yield chunk.subarray(start, start + LARGEST_PIECE_BYTES);
  }
}

type Findings = FileShape & RecordsFound & { readonly bytes: number; readonly mayBeCut?: boolean | undefined };

/**
 * Decides the verdict on a file once all its rows are checked. A fault that rejects it, or no valid row, rejects the
 * file. Otherwise a fault that holds it holds the file.
 * @returns also the faults that only the whole file shows; they are in the tally
 */
export function decideVerdict(
  found: Findings,
  rules: CheckRules,
  tally: ReturnType<typeof faultTally>,
): { verdict: 'accept' | 'hold' | 'reject'; faults: Fault[] } {
  // A profile that refuses the head of a file reads none of its rows.
  const isUnread = UNREAD.some((code) => tally.counts()[code] !== undefined) || (rules.profile && tally.has('reject'));
  const faults = isUnread
    ? []
    : [...checkContent(found), ...checkLines(found, rules), ...checkBadRows(found, rules, tally)];
  faults.forEach(tally.count);
  const isRefusedForRows = rules.folder.badRows.policy === 'reject-file' && tally.has('row');
  if (isRefusedForRows || tally.has('reject')) return { verdict: 'reject', faults: [...faults, ...tally.summarise()] };
  if (found.valid.rows > 0) return { verdict: tally.has('hold') ? 'hold' : 'accept', faults };
  // When a profile fits no row, a person must see it: the profile may be wrong, not the file.
  if (rules.profile && found.records > 0 && tally.has('hold')) return { verdict: 'hold', faults };
  // Nothing could be approved, and an accepted file without a payment could never be completed.
  const detail = byNumber(found.records, 'its only row is invalid', `all of its ${found.records} rows are invalid`);
  const nothingToSend: Fault = { code: 'NO_ROWS', line: 0, detail };
  tally.count(nothingToSend);
  return { verdict: 'reject', faults: [...faults, nothingToSend] };
}

/** Codes of a file whose rows were not read; each says all that is to be said. */
const UNREAD = ['NOT_CSV', 'ONLY_NULS', 'WRONG_SEPARATOR'] as const satisfies readonly FaultCode[];

function checkContent(found: Findings): Fault[] {
  if (found.bytes === 0) return [{ code: 'EMPTY', line: 0 }];
  return found.records === 0 ? [{ code: 'NO_ROWS', line: 0 }] : [];
}

/** Checks that the lines read match the rows checked (control total H2); the two are counted separately. */
function checkLines(found: Findings, rules: CheckRules): Fault[] {
  const faults: Fault[] = [];
  const lines = found.physicalLines - found.blankLines;
  const expected = found.records + (found.headerLine === null ? 0 : 1);
  if (lines !== expected) {
    faults.push({ code: 'LINES_DIFFER', line: 0, detail: `${counted(lines, 'line')}, ${counted(expected, 'row')}` });
  }
  if (found.isLastLineOpen) {
    const holds = found.mayBeCut === true || rules.folder.finalNewline === 'hold';
    const code = holds ? 'NO_FINAL_NEWLINE' : 'LAST_LINE_OPEN';
    faults.push({ code, line: found.physicalLines });
  }
  if (found.mixesLineEnds) faults.push({ code: 'MIXED_LINE_ENDS', line: 0 });
  return faults;
}

function checkBadRows(found: Findings, rules: CheckRules, tally: ReturnType<typeof faultTally>): Fault[] {
  const { policy, maxPercent } = rules.folder.badRows;
  const invalid = found.records - found.valid.rows;
  const figures = `${invalid} of ${counted(found.records, 'row')} ${byNumber(invalid, 'is', 'are')} invalid`;
  if (policy === 'reject-file' && tally.has('row')) {
    return [{ code: 'TOO_MANY_BAD_ROWS', line: 0, detail: `${figures}; the folder allows none` }];
  }
  // Multiplied out, because a share such as 10 % is inexact in floating point.
  if (invalid * 100 <= found.records * maxPercent) return [];
  return [{ code: 'TOO_MANY_BAD_ROWS', line: 0, detail: `${figures}; the folder allows ${maxPercent} %` }];
}
