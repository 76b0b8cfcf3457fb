import type { FaultCode } from '../../../schemas/errors.ts';
import type { Profile, Title } from '../../../schemas/profiles.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Fault } from '../../rows/rows.ts';
import { titlesOf } from './profile-titles.ts';
import { findHead, linesOfHead, titlePlaces } from './read/find-titles.ts';
import { madePage } from './read/made-page.ts';
import type { ProfileContext } from './read/payment-checks.ts';
import {
  isUnfit,
  type LineKind,
  type ProfileLine,
  profileRows,
  refusedRows,
  type RowReader,
} from './read/profile-reader.ts';
import type { SkippedRows } from './read/skipped-rows.ts';
import { mayBeCut, readSourceRows } from './read/source-rows.ts';
import { newTextShape, type SourceRow, type TextShape } from './read/text-rows.ts';

export type { ProfileContext } from './read/payment-checks.ts';
export { isUnfit, type LineKind, type ProfileLine } from './read/profile-reader.ts';

/** What is known of a file once its last byte is read. */
export type ProfileFindings = {
  /** Faults of the file, and of the first thousand lines that are no payments. */
  readonly faults: readonly Fault[];
  /** Every line of the file, in exactly one kind. */
  readonly lines: Readonly<Record<LineKind, number>>;
  readonly skipped: readonly SkippedRows[];
  readonly mixesLineEnds: boolean;
  /** The last line has no line end, and is none that ends a report. The file may be cut off. */
  readonly isLastLineOpen: boolean;
  /** It is a payment besides, and its last cell could be a part of another one. */
  readonly mayBeCut: boolean;
  /** Set if paydrop wrote the file: the version that read its rows before, by the beginning of its hash. */
  readonly writtenBy?: string;
};

/** A file in the layout of the profile, made while the sender's file is read. */
export type ProfileReading = {
  /** UTF-8, commas, line feeds. Line 7 is line 7 of the sender's file; a line that is no payment is blank. */
  readonly source: AsyncIterable<Uint8Array>;
  /**
   * Returns the faults of the payment on this line, once the line has come out of `source`. Ask in the order of the
   * lines: those before are forgotten, so that memory does not grow.
   */
  readonly faultsOf: (line: number) => readonly Fault[];
  /** Returns the next line from this one on, among those that came out, whose payment has faults; Infinity for none. */
  readonly nextFaulty: (line: number) => number;
  /** Returns whether a payment with these faults must never be sent. */
  readonly isUnfit: (faults: readonly Fault[]) => boolean;
  /** After the last byte. */
  readonly findings: () => ProfileFindings;
};

/** Turns the bytes of the sender's file into those of a file in the layout, line by line. */
export function readByProfile(
  source: AsyncIterable<Uint8Array>,
  profile: Profile,
  context: ProfileContext,
): ProfileReading {
  const file = profileFile(profile, context);
  const faulty = faultyPayments();
  let findings: ProfileFindings | undefined;

  async function* madeBytes(): AsyncGenerator<Uint8Array> {
    const page = madePage();
    const steps = file.read(source, (line) => {
      page.addLine(line.made);
      if (line.faults.length > 0 && line.kind === 'payment') faulty.add(line);
    });
    for await (const _ of steps) yield page.take();
    findings = file.close();
    if (page.hasLines() && !file.endsOpen()) yield Buffer.from('\n');
  }

  return {
    source: madeBytes(),
    faultsOf: faulty.of,
    nextFaulty: faulty.next,
    isUnfit,
    findings: () => {
      if (findings) return findings;
      throw new PipelineError('INTERNAL', 'tell what a profile found', 'its file is not read to the end');
    },
  };
}

/**
 * Reads the sender's file line by line, for outputs and previews. It yields lines in groups, in their order.
 * @returns what the whole file shows, after all lines
 */
export async function* readProfileLines(
  source: AsyncIterable<Uint8Array>,
  profile: Profile,
  context: ProfileContext,
): AsyncGenerator<readonly ProfileLine[], ProfileFindings> {
  const file = profileFile(profile, context);
  let lines: ProfileLine[] = [];
  for await (const _ of file.read(source, (line) => lines.push(line))) {
    yield lines;
    lines = [];
  }
  return file.close();
}

type TakeLine = (line: ProfileLine) => void;

function profileFile(profile: Profile, context: ProfileContext) {
  const shape = newTextShape();
  const lines: Record<LineKind, number> = { ...NO_LINES };
  const faults = faultList();
  let reader: RowReader | undefined;
  let linesAbove = 0;
  let writtenBy: string | undefined;
  let lastTitle: Title | undefined;
  let waiting: SourceRow[] = [];
  let lastKind: LineKind | undefined;

  /** Yields after each block of lines; before, `take` gets them. */
  async function* read(source: AsyncIterable<Uint8Array>, take: TakeLine): AsyncGenerator<void> {
    const headLines = linesOfHead(profile);
    yield* readSourceRows(source, profile, shape, (row) => {
      if (reader) return readRow(reader, row, take);
      waiting.push(row);
      if (shape.physicalLines >= headLines) readWaiting(take);
    });
    if (!reader && waiting.length > 0) readWaiting(take);
    yield;
  }

  function readWaiting(take: TakeLine): void {
    reader = openReader(waiting);
    for (const row of waiting) readRow(reader, row, take);
    waiting = [];
  }

  function readRow({ read }: RowReader, row: SourceRow, take: TakeLine): void {
    const line = read(row);
    lines[line.kind] += 1;
    lastKind = line.kind;
    if (line.faults.length > 0 && line.kind !== 'payment') line.faults.forEach(faults.add);
    take(line);
    for (let further = 1; further < row.span; further += 1) take(continuedLine(row.line + further));
  }

  function openReader(rows: readonly SourceRow[]): RowReader {
    const head = findHead(profile, rows);
    if (shape.faults.length === 0) head.faults.forEach(faults.add);
    linesAbove = head.titles ? head.rows - 1 : 0;
    writtenBy = head.writtenBy;
    const placeOf = titlePlaces(profile, head.titles);
    lastTitle = titlesOf(profile).find((title) => placeOf(title) === head.width - 1);
    return head.faults.length + shape.faults.length > 0 ? refusedRows(head) : profileRows(profile, context, head);
  }

  function continuedLine(line: number): ProfileLine {
    lines.continued += 1;
    return { line, kind: 'continued', cells: [], faults: NO_FAULTS };
  }

  function close(): ProfileFindings {
    checkLines(lines, shape);
    const found = reader?.close() ?? { faults: [], skipped: [] };
    return {
      faults: [...shape.faults.filter(isBelowHead), ...faults.list(), ...found.faults],
      lines,
      skipped: found.skipped,
      mixesLineEnds: shape.mixesLineEnds,
      isLastLineOpen: shape.isLastLineOpen && lastKind !== 'total' && lastKind !== 'tail',
      ...(writtenBy !== undefined && { writtenBy }),
      mayBeCut: shape.isLastLineOpen && lastKind === 'payment' && mayBeCut(profile, lastTitle),
    };
  }

  /** Reports are often named in merged cells above the titles. */
  function isBelowHead({ code, line }: Fault): boolean {
    return code !== 'WORKBOOK_DOUBT' || line === 0 || line > linesAbove;
  }

  return { read, close, endsOpen: () => shape.endsOpen };
}

const NO_LINES: Readonly<Record<LineKind, number>> = {
  above: 0,
  titles: 0,
  blank: 0,
  total: 0,
  skipped: 0,
  tail: 0,
  payment: 0,
  continued: 0,
  unread: 0,
};

/** Lines and kinds are counted apart, so that no line can be lost. */
function checkLines(lines: Readonly<Record<LineKind, number>>, { physicalLines }: TextShape): void {
  const known = Object.values(lines).reduce((sum, count) => sum + count, 0);
  if (known === physicalLines) return;
  throw new PipelineError('INTERNAL', 'read a file by its profile', `${physicalLines} lines, ${known} of a known kind`);
}

const MOST_LISTED = 1_000;

/** Keeps the first faults of a file. A file that is no payment file can have ten million broken lines. */
function faultList() {
  const listed: Fault[] = [];
  const unlisted = new Map<FaultCode, number>();

  function add(fault: Fault): void {
    if (listed.length < MOST_LISTED) listed.push(fault);
    else unlisted.set(fault.code, (unlisted.get(fault.code) ?? 0) + 1);
  }

  function list(): Fault[] {
    const more = [...unlisted].map(([code, count]) => ({ code, line: 0, detail: `${count} more are not listed` }));
    return [...listed, ...more];
  }

  return { add, list };
}

const NO_FAULTS: readonly Fault[] = Object.freeze([]);

const MOST_FORGOTTEN = 1_000;

/** Keeps the faults of payments until they are asked for. */
function faultyPayments() {
  let lines: ProfileLine[] = [];
  let next = 0;

  function add(line: ProfileLine): void {
    if (next > MOST_FORGOTTEN) {
      lines = lines.slice(next);
      next = 0;
    }
    lines.push(line);
  }

  function nextFaulty(line: number): number {
    while (next < lines.length && lines[next]!.line < line) next += 1;
    return lines[next]?.line ?? Infinity;
  }

  function faultsOf(line: number): readonly Fault[] {
    return nextFaulty(line) === line ? lines[next]!.faults : NO_FAULTS;
  }

  return { add, of: faultsOf, next: nextFaulty };
}
