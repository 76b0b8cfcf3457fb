import { randomBytes } from 'node:crypto';
import type { FaultCode } from '../../schemas/errors.ts';
import { AccountConfig } from '../../schemas/config.ts';
import type { BatchState, FileState } from '../../schemas/lifecycle.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import type { ReconciledRow } from '../../src/rows/rows.ts';
import { copyRows, cutBatch } from '../ledger/support/put-rows.ts';
import type { NewRow } from '../../src/ledger/copy/row-tuples.ts';
import type { ClaimedFile } from '../../src/ledger/file/claim-file.ts';
import { decideFiles, type FileFindings } from '../../src/ledger/file/decide-file.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { type Ledger, openLedger } from '../../src/ledger/engine/open-ledger.ts';
import { readBatchRow, readFileRow } from '../../src/ledger/file/read-file.ts';
import { type AuditRow, readAudit } from '../../src/ledger/file/search.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { type Transaction, transact } from '../../src/ledger/engine/transaction.ts';
import { claimForTest } from './claim-for-test.ts';
import { clockBeside, forceSql, letSend } from './force-sql.ts';
import { type DatabaseOptions, startTestPostgres } from './postgres.ts';
import { type Call } from '../../src/ledger/batch/commit-send.ts';
import { callFor, declareNow } from './calls.ts';

/** Each file of the builder has an account of its own unless one is given, so that files do not stop each other. */
export type FilePlan = { account?: string; name?: string; batches?: number; rowsPerBatch?: number; withheld?: number };

export type LedgerWorld = Awaited<ReturnType<typeof openTestLedger>>;

/** The time at which the hand clock of a world starts. */
export const START = '2026-06-15T10:00:00.000Z';

/** Opens a ledger in a fresh database, with a hand clock and ways to bring files and batches into any state. */
export async function openTestLedger(options: DatabaseOptions = {}) {
  const postgres = await startTestPostgres(options);
  const clock = handClock(START);
  const { wrongBy, databaseClock } = clockBeside(clock);
  // What the builder binds, every process of the world has bound.
  const bound: Ledger['bound'] = new Map();
  const open = async () => {
    const opened = await openLedger({ url: postgres.url }, { clock, databaseClock, log: silentLog() });
    return letSend({ ...opened, bound });
  };
  const ledger = await open();
  const others: Ledger[] = [];
  const { force } = superuser(ledger);
  const build = fileBuilder(ledger);

  /** Puts the first batch of a new file into this state, without the moves that lead there. */
  async function batchIn(state: BatchState, plan: FilePlan = {}): Promise<BatchRow> {
    const file = await build.accepted(plan);
    return putBatch({ fileId: file.file_id, batchNo: 1 }, state);
  }

  async function putBatch(key: BatchKey, state: BatchState): Promise<BatchRow> {
    const isHeldByWorker = state === 'sending';
    const hasBatchId = ['submitted', 'result_in', 'exception', 'reconciled'].includes(state);
    await force(
      `UPDATE batch SET state = $3, state_at = $4, batch_id = $5,
         result_sha256 = CASE WHEN $3 = 'result_in' THEN coalesce(result_sha256, repeat('ab', 32)) ELSE result_sha256 END,
         token = CASE WHEN $6 THEN gen_random_uuid() END, worker = CASE WHEN $6 THEN $7 END,
         lease_until = CASE WHEN $6 THEN clock_timestamp() + interval '1 minute' END
       WHERE file_id = $1 AND batch_no = $2`,
      [
        key.fileId,
        key.batchNo,
        state,
        clock.now(),
        hasBatchId ? `id-${key.fileId}-${key.batchNo}` : null,
        isHeldByWorker,
        ledger.instance.id,
      ],
    );
    return readBatchRow(ledger, key);
  }

  return {
    ledger,
    clock,
    wrongBy,
    url: postgres.url,
    /** Opens the same ledger again, as another process would. */
    openAgain: async (): Promise<Ledger> => {
      const another = await open();
      others.push(another);
      return another;
    },
    force,
    /** Empties the ledger and resets the clock, for tests about the whole ledger; faster than a fresh database. */
    empty: async (): Promise<void> => {
      const { rows: tables } = await ledger.pool.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'paydrop' AND tablename <> ALL ($1)`,
        [KEPT_TABLES],
      );
      await force(tables.map((table) => `DELETE FROM ${table.name};`).join(' '));
      await force(`SELECT setval('audit_seq', 0)`);
      clock.set(START);
    },
    claimed: build.claimed,
    accepted: build.accepted,
    held: build.held,
    rejected: build.rejected,
    batchIn,
    putBatch,
    putFile: async (fileId: string, state: FileState): Promise<FileRow> => {
      await force('UPDATE file SET state = $2 WHERE file_id = $1', [fileId, state]);
      return readFileRow(ledger, fileId);
    },
    /** Returns a call of a new batch, of which the ledger knows nothing yet. */
    call: async (plan: FilePlan = {}): Promise<Call> => {
      const file = await build.accepted(plan);
      return callFor(ledger, { fileId: file.file_id, batchNo: 1 });
    },
    /** Returns a call of a new batch that was declared. */
    sending: async (plan: FilePlan = {}): Promise<Call> => {
      const file = await build.accepted(plan);
      return declare(ledger, { fileId: file.file_id, batchNo: 1 });
    },
    /** Returns the audit trail of a file, without its numbers and times. */
    links: async (fileId: string): Promise<Omit<AuditRow, 'seq' | 'at'>[]> =>
      (await readAudit(ledger, fileId)).map(({ seq: _seq, at: _at, ...link }) => link),
    close: async () => {
      for (const another of others) await another.close();
      if (!ledger.pool.ended) await ledger.close();
      await postgres.stop();
    },
  };
}

/** Tables that belong to the schema or let the world send; all others are emptied. */
const KEPT_TABLES = ['migration', 'legal_move', 'admission', 'sender'];

/** Marks every file as compared with all calls that the ledger had lost, as the sweep does. */
export async function compareAll({ force }: Pick<LedgerWorld, 'force'>): Promise<void> {
  await force('UPDATE file SET compared_to = (SELECT coalesce(max(call_order), 0) FROM forgotten_send)');
}

/** Returns one approved outcome per row of a batch that `accepted` cut. */
export function outcomesOf(batch: BatchRow): ReconciledRow[] {
  return Array.from({ length: batch.rows }, (_, index) => ({
    line: firstLine(batch.batch_no, batch.rows) + index,
    outcome: 'approved',
    code: null,
    message: 'Approved',
    authorization: 'A1',
  }));
}

export function keyOf(batch: Pick<BatchRow, 'file_id' | 'batch_no'>): BatchKey {
  return { fileId: batch.file_id, batchNo: batch.batch_no };
}

export function claimOf(claim: Partial<ClaimedFile> = {}): ClaimedFile {
  const fileId = claim.fileId ?? newFileId();
  return {
    fileId,
    account: `account-${fileId}`,
    site: 'main',
    folder: 'drop/ach-charge',
    operation: 'ach-charge',
    name: `${fileId}.csv`,
    bytes: 1_000,
    sha256: randomBytes(32).toString('hex'),
    completeness: 'quiet',
    claimedAt: new Date(START),
    wrappedKey: Buffer.from('wrapped'),
    archive: `2026/06/15/${fileId}`,
    charset: 'utf-8',
    control: null,
    seenAt: new Date(START),
    outputForm: {
      ...AccountConfig.shape.outputs.parse({}),
      mostRows: 'auto',
      account: claim.account ?? `account-${fileId}`,
      timeZone: 'UTC',
      currency: 'USD',
    },
    ...claim,
  };
}

async function declare(ledger: Ledger, key: BatchKey): Promise<Call> {
  const batch = await declareNow(ledger, key);
  if (!batch) throw new Error('the gate is closed');
  return batch;
}

/** Returns `force`, which runs statements past the triggers, as only a superuser can. */
function superuser(ledger: Ledger) {
  return { force: (sql: string, values?: unknown[]): Promise<void> => forceSql({ ledger }, sql, values) };
}

function fileBuilder(ledger: Ledger) {
  const claimed = async (claim: Partial<ClaimedFile> = {}): Promise<FileRow> => {
    const file = claimOf({ claimedAt: ledger.clock.now(), ...claim });
    await claimForTest(ledger, file);
    return readFileRow(ledger, file.fileId);
  };

  /** Claims a file, writes its rows, cuts its batches and gives the verdict, as the intake does. */
  const decided = async (plan: FilePlan, verdict: 'accept' | 'hold' | 'reject', code: FaultCode): Promise<FileRow> => {
    const { batches = 1, rowsPerBatch = 2, withheld = 0, account, name } = plan;
    const file = await claimed({ ...(account && { account }), ...(name && { name }) });
    await transact(ledger, async (tx) => {
      const rows = batchNumbers(batches).flatMap((batchNo) => rowsOf(file, batchNo, rowsPerBatch));
      await copyRows(tx, file.file_no, [...rows, ...withheldRows(file, rows.length + 2, withheld)]);
      const prints = rows.map(({ line }) => ({ line, fingerprint: BigInt(line) }));
      await putFingerprints(tx, file, file.file_no, prints);
      for (const batchNo of batchNumbers(batches)) await cutBatch(tx, newBatch(file, batchNo, rowsPerBatch));
      const findings: FileFindings = {
        layout: 'ach',
        headerLine: 1,
        physicalLines: rows.length + withheld + 1,
        blankLines: 0,
        records: rows.length + withheld,
        validRows: rows.length,
        validCents: sumCents(rows),
        invalidRows: withheld,
      };
      const decision = verdict === 'accept' ? { verdict } : { verdict, code, reason: `${verdict} it` };
      await decideFiles(tx, [{ fileId: file.file_id, findings, decision }]);
    });
    return readFileRow(ledger, file.file_id);
  };

  return {
    claimed,
    accepted: (plan: FilePlan = {}) => decided(plan, 'accept', 'CONTROL_TOTALS'),
    held: (plan: FilePlan = {}) => decided(plan, 'hold', 'CONTROL_TOTALS'),
    rejected: (plan: FilePlan = {}) => decided(plan, 'reject', 'COLUMN_COUNT'),
  };
}

function batchNumbers(batches: number): number[] {
  return Array.from({ length: batches }, (_, index) => index + 1);
}

/** Returns the first line of a batch; batches follow each other below the header in line 1. */
function firstLine(batchNo: number, rowsPerBatch: number): number {
  return 2 + (batchNo - 1) * rowsPerBatch;
}

/** Makes rows; the row in line N is of N units of money. */
function rowsOf(file: FileRow, batchNo: number, count: number): NewRow[] {
  return Array.from({ length: count }, (_, index) => {
    const line = firstLine(batchNo, count) + index;
    return {
      line,
      batchNo,
      invoice: `INV-${file.file_id}-${line}`,
      customerCode: '',
      amountCents: line * 100,
      lastFour: '0001',
    };
  });
}

function withheldRows(file: FileRow, first: number, count: number): NewRow[] {
  return rowsOf(file, 1, count).map((row, index) => ({
    ...row,
    line: first + index,
    batchNo: null,
    invoice: `INV-${file.file_id}-${first + index}`,
    amountCents: null,
    lastFour: '',
  }));
}

function newBatch(file: FileRow, batchNo: number, rowsPerBatch: number) {
  const rows = rowsOf(file, batchNo, rowsPerBatch);
  return {
    fileId: file.file_id,
    batchNo,
    account: file.account,
    operation: file.operation,
    rows: rows.length,
    cents: sumCents(rows),
    firstLine: rows[0]!.line,
    lastLine: rows.at(-1)!.line,
    bodySha256: randomBytes(32).toString('hex'),
    sealedBody: Buffer.from(`sealed body ${batchNo}`),
  };
}

/** Writes the fingerprints of a file's rows, as its intake does. */
export async function putFingerprints(
  { client }: Transaction,
  { file_no: fileNo }: Pick<FileRow, 'file_no'>,
  volume: number,
  rows: readonly { line: number; fingerprint: bigint }[],
): Promise<void> {
  await client.query(
    `INSERT INTO row_fingerprint (volume, fingerprint, file_no, line)
     SELECT $1, fingerprint, $2, line FROM unnest($3::bigint[], $4::integer[]) AS p (fingerprint, line)`,
    [volume, fileNo, rows.map(({ fingerprint }) => fingerprint), rows.map(({ line }) => line)],
  );
}

function sumCents(rows: readonly NewRow[]): number {
  return rows.reduce((sum, row) => sum + (row.amountCents ?? 0), 0);
}
