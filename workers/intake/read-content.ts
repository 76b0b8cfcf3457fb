import type { FolderOperation } from '../../schemas/operations.ts';
import {
  type CheckedGroup,
  checkPaymentFile,
  type CheckRules,
  type FileCheck,
} from '../../src/csv/check/check-payment-file.ts';
import type { Fault, MostRows } from '../../src/rows/rows.ts';
import { writeBatch, writeBody, writeFault, writeRow } from '../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import type { FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';
import { lentMemory } from '../../src/thread/thread-messages.ts';
import { RowSet } from '../../src/crypto/fingerprints/row-set.ts';
import { sealBytes } from '../../src/crypto/seal.ts';
import { bodyCutter, bodyPurpose } from './cut-bodies.ts';
import { type EncoderOptions, RowEncoder, withheldRow } from './encode-rows.ts';
import { type ContentSource, dataKeyOf, openSource } from './open-source.ts';
import { likeRows, fingerprintRuns, type FingerprintsOf } from './fingerprint-row.ts';

/** All that is needed to read a file into the ledger, as plain data. It holds keys, so it lives in memory only. */
export type ReadingOrder = EncoderOptions &
  FingerprintsOf & {
    readonly source: ContentSource;
    readonly rules: CheckRules;
    readonly account: string;
    readonly operation: FolderOperation;
    readonly at: Date;
    readonly maxRows: MostRows;
    readonly rowSetKey: Uint8Array;
  };

/** A chunk of a file as tuples for COPY, in memory that the next chunk overwrites. */
export type Chunk = Readonly<
  Partial<Record<'rows' | 'fingerprints' | 'faults' | 'batches' | 'bodies', Uint8Array | undefined>>
> & {
  /** How much was read up to here. */
  readonly progress?: ReadingProgress;
};

export type ReadingProgress = { readonly rows: number; readonly bytes: number };

/** What is known after the last chunk. */
export type Reading = {
  readonly check: FileCheck;
  /** Mark of the valid rows; null when there are none. */
  readonly rowSet: string | null;
  readonly faults: number;
  /** Rows that are like others of the file; their faults are counted above. */
  readonly like: readonly FlaggedRows[];
};

/** This module, for a thread (src/thread). */
export const READ_CONTENT = new URL(import.meta.url);

/**
 * Reads a file from first to last byte: opens it, checks it, cuts and seals its batches, and prepares all for the
 * ledger. It holds one batch and one chunk, so memory does not grow with the file.
 *
 * It has no connection or clock and shares nothing, so it also runs in a thread.
 */
export async function* runTask(order: ReadingOrder): AsyncGenerator<Chunk, Reading> {
  const packer = chunkPacker(order);
  let [rows, bytes] = [0, 0];
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of openSource(order.source) as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      yield piece;
    }
  }
  const groups = checkPaymentFile(counted(), order.rules, { contentBytes: order.source.bytes });
  for (;;) {
    const step = await groups.next();
    if (step.done) {
      packer.finish();
      yield packer.take();
      yield* packer.takeFingerprints();
      return { check: step.value, ...packer.found() };
    }
    packer.pack(step.value);
    rows += step.value.packed.count + step.value.withheld.length;
    if (packer.size() >= CHUNK_BYTES) yield { ...packer.take(), progress: { rows, bytes } };
    if (packer.hasManyFingerprints()) yield* packer.takeFingerprints();
  }
}

/** Large enough that a chunk costs little beside its rows, small enough that a few may be in progress at once. */
const CHUNK_BYTES = 1024 * 1024;

function chunkPacker(order: ReadingOrder) {
  const tuples = {
    rows: new TupleWriter(),
    faults: new TupleWriter(),
    batches: new TupleWriter(),
    bodies: new TupleWriter(),
  };
  const memory = {
    rows: lentMemory(),
    fingerprints: lentMemory(),
    faults: lentMemory(),
    batches: lentMemory(),
    bodies: lentMemory(),
  };
  const fingerprints = fingerprintRuns(order);
  const like = likeRows();
  const encoder = new RowEncoder(tuples.rows, fingerprints, order, (made, at, line) => {
    const fault = like.findFault(made, at, line, groupFaults);
    if (fault) addFault(fault);
  });
  const rowSet = new RowSet(order.rowSetKey);
  const key = dataKeyOf(order.source);
  let cutter: ReturnType<typeof bodyCutter> | undefined;
  let batchNo = 1;
  let faults = 0;
  let groupFaults: CheckedGroup['faults'] = [];

  function pack(group: CheckedGroup): void {
    groupFaults = group.faults;
    if (group.layout) packValid(group.layout, group);
    for (const row of group.withheld) writeRow(tuples.rows, order.fileNo, withheldRow(order.operation, row));
    group.faults.forEach(addFault);
  }

  function addFault(fault: Fault): void {
    faults += 1;
    writeFault(tuples.faults, order.fileNo, faults, fault);
  }

  function packValid(layout: NonNullable<CheckedGroup['layout']>, { packed }: CheckedGroup): void {
    const { count, bytes, starts } = packed;
    encoder.setLayout(layout);
    cutter ??= bodyCutter(order.maxRows, layout);
    for (let from = 0; from < count; ) {
      const to = cutter.endOfRoom(packed, from, count);
      encoder.encode(packed, from, to, batchNo);
      for (let row = from; row < to; row += 1) rowSet.add(bytes, starts[row]!, starts[row + 1]! - 1);
      cutter.add(packed, from, to);
      if (to < count || cutter.isFull()) cut();
      from = to;
    }
  }

  function cut(): void {
    const body = cutter?.cut();
    if (!body) return;
    const { bytes, sha256, ...figures } = body;
    const batch = {
      fileId: order.source.fileId,
      batchNo,
      account: order.account,
      operation: order.operation,
      ...figures,
      bodySha256: sha256,
      sealedBody: sealBytes(key, bodyPurpose(batchNo), bytes),
    };
    writeBatch(tuples.batches, order.at, batch);
    writeBody(tuples.bodies, batch);
    batchNo += 1;
  }

  return {
    pack,
    finish: cut,
    size: () => tuples.rows.size() + tuples.bodies.size() + tuples.faults.size(),
    take: (): Chunk => ({
      rows: tuples.rows.take(memory.rows),
      faults: tuples.faults.take(memory.faults),
      batches: tuples.batches.take(memory.batches),
      bodies: tuples.bodies.take(memory.bodies),
    }),
    hasManyFingerprints: fingerprints.isFull,
    takeFingerprints: function* (): Generator<Chunk> {
      for (const piece of fingerprints.take(memory.fingerprints)) yield { fingerprints: piece };
    },
    found: () => ({ rowSet: rowSet.mark(), faults, like: like.flagged() }),
  };
}
