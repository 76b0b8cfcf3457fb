import type { Profile } from '../../schemas/profiles.ts';
import type { App } from '../../src/app.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { noteProgress } from '../../src/ledger/file/count-readings.ts';
import { copyTables } from '../../src/ledger/row/copy-rows.ts';
import { eachFingerprint } from '../../src/ledger/copy/row-tuples.ts';
import type { Transaction } from '../../src/ledger/engine/transaction.ts';
import {
  type Chunk,
  READ_CONTENT,
  type Reading,
  type ReadingOrder,
  type ReadingProgress,
  runTask,
} from './read-content.ts';
import type { Folder } from '../../src/config/config.ts';
import { limitsOf } from '../../src/config/account-rules.ts';
import { dayInZone } from '../../src/calendar/zone-time.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { fingerprintKeyOf } from './fingerprint-row.ts';
import { rowSetKey } from '../../src/crypto/fingerprints/row-set.ts';
import { findContent } from '../open-original.ts';

/** Writes what is read of files into the ledger, one file after the other. */
export type RowStore = {
  /**
   * Reads a file: every row and fault, and every full batch, sealed.
   * @param contentBytes how much there is to read
   * @param waits keeps all of it in memory until `keep`, for a small file that may yet be left out
   * @param see receives the halves of each fingerprint
   * @throws ThreadDeath when the thread that reads a large file dies
   */
  read(
    order: ReadingOrder,
    contentBytes: number,
    waits?: boolean,
    see?: (first: number, second: number) => void,
  ): Promise<Reading>;
  /** Writes what waits, too. */
  keep(): Promise<void>;
  /** Leaves out what waits. */
  leaveOut(): void;
  /** Writes what was not written yet. Nothing else is read from the ledger before. */
  end(): Promise<void>;
};

/**
 * Small files are gathered, so that many of them take as many messages as one. Of a large file, reading and writing
 * overlap; the reader is never more than a few chunks ahead, and nothing of it is gathered.
 */
export function openRowStore(app: App, tx: Transaction): RowStore {
  const gathered = gatherTuples();
  const waiting = gatherTuples();

  async function write(chunk: Chunk): Promise<void> {
    if (gathered.size() === 0 && sizeOf(chunk) >= MUCH_BYTES) await storeTuples(tx, (table) => piecesOf(chunk, table));
    else {
      gathered.add(chunk);
      if (gathered.size() >= MUCH_BYTES) await end();
    }
  }

  async function end(): Promise<void> {
    if (gathered.size() === 0) return;
    await storeTuples(tx, gathered.pieces);
    gathered.clear();
  }

  return {
    read: async (order, contentBytes, waits = false, see) => {
      const chunks = contentBytes < THREAD_BYTES ? runTask(order) : app.thread.run<Chunk, Reading>(READ_CONTENT, order);
      const note = progressNoter(app, order.source.fileId, contentBytes);
      try {
        for (;;) {
          const step = await chunks.next();
          if (step.done) return step.value;
          if (see && step.value.fingerprints) eachFingerprint(step.value.fingerprints, see);
          if (waits) waiting.add(step.value);
          else await write(step.value);
          if (step.value.progress) note(step.value.progress);
        }
      } finally {
        // After a failure here, no reader stays behind waiting.
        await chunks.return(undefined as never);
      }
    },
    keep: async () => {
      gathered.addAll(waiting.pieces);
      waiting.clear();
      if (gathered.size() >= MUCH_BYTES) await end();
    },
    leaveOut: waiting.clear,
    end,
  };
}

/** Tables that a reader fills, in the order in which they are written. */
const TABLES = ['batches', 'bodies', 'rows', 'fingerprints', 'faults'] as const;

type PiecesOf = (table: (typeof TABLES)[number]) => readonly Uint8Array[];

/** Size in bytes from which what was read is written at once. */
const MUCH_BYTES = 512 * 1024;

function piecesOf(chunk: Chunk, table: (typeof TABLES)[number]): Uint8Array[] {
  const piece = chunk[table];
  return piece ? [piece] : [];
}

function sizeOf(chunk: Chunk): number {
  return TABLES.reduce((sum, table) => sum + (chunk[table]?.length ?? 0), 0);
}

/** Keeps copies of chunks, whose own memory is used again for later ones. */
function gatherTuples() {
  const pieces = new Map<string, Uint8Array[]>();
  let size = 0;
  const addAll = (more: PiecesOf) => {
    for (const table of TABLES) {
      const added = more(table);
      if (added.length > 0) pieces.set(table, [...(pieces.get(table) ?? []), ...added]);
      size += added.reduce((sum, piece) => sum + piece.length, 0);
    }
  };
  return {
    size: () => size,
    add: (chunk: Chunk) => addAll((table) => piecesOf(chunk, table).map((piece) => piece.slice())),
    addAll,
    pieces: (table: (typeof TABLES)[number]) => pieces.get(table) ?? [],
    clear: () => {
      pieces.clear();
      size = 0;
    },
  };
}

/**
 * Writes batches of accepted rows with their sealed canonical bytes (move `cut`; the audit link of the file covers them), then
 * rows, fingerprints and faults, in one message.
 */
async function storeTuples(tx: Transaction, pieces: PiecesOf): Promise<void> {
  await copyTables(
    tx,
    TABLES.map((table) => [table, pieces(table)] as const),
  );
  if (pieces('batches').length > 0) crashPoint('intake.batch-cut');
  crashPoint('intake.rows-copied');
}

/**
 * Size in bytes from which a thread reads a file. Below it, reading here in blocks takes less time than a thread needs
 * to start and compile its code.
 */
export const THREAD_BYTES = 2 * 1024 * 1024;

const PROGRESS_MS = 2_000;

/**
 * Records every few seconds how far the reading has come. Nothing waits for it: it goes over a connection of its own,
 * because the rows are not committed yet, and what is lost is only shown later.
 */
export function progressNoter(
  app: Pick<App, 'ledger'>,
  fileId: string,
  contentBytes: number,
  everyMs = PROGRESS_MS,
): (progress: ReadingProgress) => void {
  let notedAt = performance.now();
  let isNoting = false;
  return ({ rows, bytes }) => {
    if (isNoting || performance.now() - notedAt < everyMs) return;
    isNoting = true;
    notedAt = performance.now();
    const expected = Math.max(rows, Math.round((rows * contentBytes) / bytes));
    void noteProgress(app.ledger, fileId, rows, expected)
      .catch(() => undefined)
      .finally(() => {
        isNoting = false;
      });
  };
}

/**
 * Returns all that the reader of a file needs, and no more: a thread gets a copy.
 * @param volume for the fingerprints of its rows
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE
 */
export function orderReading(
  app: App,
  tx: Transaction,
  file: FileRow,
  { folder, volume, profile }: { folder: Folder; volume: number; profile?: Profile | undefined },
): ReadingOrder {
  const { server, country, currency, serviceLimits, timeZone, limits } = app.account(file.account);
  return {
    source: findContent(app, file),
    rules: {
      operation: file.operation,
      account: { server, country, currency, serviceLimits },
      folder,
      profile,
      today: dayInZone(app.clock.now(), timeZone),
      largestRowCents: limitsOf({ limits }, folder).rowCents,
    },
    fileNo: file.file_no,
    volume,
    account: file.account,
    operation: file.operation,
    at: tx.at,
    maxRows: file.output_form.mostRows,
    fingerprintKey: fingerprintKeyOf(app, file),
    rowSetKey: rowSetKey(app.fingerprint),
  };
}
