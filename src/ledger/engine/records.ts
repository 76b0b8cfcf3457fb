import type { FolderConfig, OutputForm } from '../../../schemas/config.ts';
import type { MostRows } from '../../rows/rows.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type {
  BatchState,
  Completeness,
  FileState,
  OutputKind,
  ProfileState,
  RunState,
} from '../../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { ControlNote, EffectRules } from '../../rows/rows.ts';

/** Rows of the ledger's tables as read, with column names as in schemas/ledger. Money is integer cents. */

/** What opens a file, and the mark of its rows. It has its own table and is deleted when the retention ends. */
export type FileSecret = { wrapped_key: Buffer | null; content_key: Buffer | null; row_set: string | null };

/** What was set for a file when it was taken: what its outputs say and how, and how its batches are cut. */
export type TakenForm = OutputForm & {
  readonly mostRows: MostRows;
  readonly account: string;
  readonly timeZone: string;
  readonly currency: string;
};

/** A file with its secrets, for code that opens it. */
export type FileRow = PlainFileRow & FileSecret;

/** With the ledger that it was read from (READ_FROM in read-file.ts). */
export type ReadFileRow = FileRow & { read_from: string };

export type PlainFileRow = {
  file_no: number;
  file_id: string;
  account: string;
  merchant_no: number;
  /** Name of the account for which it was taken or made, when that is not whom its account means; else null. */
  meant_for: string | null;
  site: string;
  folder: string;
  operation: FolderOperation;
  layout: LayoutName | null;
  name: string;
  state: FileState;
  state_at: Date;
  /** `state_at` by the database clock. */
  known_at: Date;
  reason_code: string | null;
  reason: string | null;
  bytes: number;
  sha256: string;
  completeness: Completeness;
  claimed_at: Date;
  /** Since when it counts as known, for the search for earlier payments; null means since its claim. */
  aged_from: Date | null;
  /** Payments of files that came before it are other payments; null means none are. */
  compared_from: Date | null;
  archive: string;
  charset: FolderConfig['charset'];
  header_line: number | null;
  control: ControlNote | null;
  output_form: TakenForm;
  physical_lines: number | null;
  blank_lines: number | null;
  records: number | null;
  valid_rows: number | null;
  valid_cents: number | null;
  invalid_rows: number | null;
  withheld_cents: number;
  withheld_unreadable: number;
  /** What was made of some faults when it was decided; null before, and for a file that was not read. */
  fault_rules: EffectRules | null;
  duplicate_of: string | null;
  /** The newest forgotten call that it was compared with. */
  compared_to: number;
  /** For an encrypted drop, null for all others. */
  content_sha256: string | null;
  accepted_at: Date | null;
  /** `profile_no` of the version that reads it; null in a folder without a profile. */
  profile_version: number | null;
  /** Its lines by kind, and the rows left out; null in a folder without a profile. */
  profile_lines: { readonly lines: Readonly<Record<string, number>>; readonly skipped: readonly LeftOut[] } | null;
  /** The earlier of its first sighting and its modification. */
  seen_at: Date;
  shredded_at: Date | null;
  fingerprints_dropped_at: Date | null;
  cleaning_no: number | null;
  /** Where its rows are, once they were archived. */
  archive_no: number | null;
};

export type BatchRow = {
  file_id: string;
  batch_no: number;
  account: string;
  merchant_no: number;
  operation: FolderOperation;
  state: BatchState;
  state_at: Date;
  reason: string | null;
  attempt: number;
  rows: number;
  cents: number;
  first_line: number;
  last_line: number;
  body_sha256: string;
  token: string | null;
  worker: string | null;
  lease_until: Date | null;
  not_before: Date | null;
  releases: number;
  batch_id: string | null;
  submitted_at: Date | null;
  polls: number;
  next_poll_at: Date | null;
  not_known_polls: number;
  result_at: Date | null;
  result_sha256: string | null;
  rechecks: number;
  next_recheck_at: Date | null;
  stale_since: Date | null;
  poll_alarm: string | null;
  final_at: Date | null;
  /** Since when a row of it may be a payment that was charged meanwhile. */
  paid_since: Date | null;
  doubt_closed_at: Date | null;
};

/** What finds the rows of a batch: its number, its first line and its last line. */
export type BatchLines = Pick<BatchRow, 'batch_no' | 'first_line' | 'last_line'>;

export type OutputRow = {
  file_id: string;
  kind: OutputKind;
  /** Number of a correction; 0 for the other kinds. */
  number: number;
  name: string;
  sha256: string;
  bytes: number;
  rows: number;
  written_at: Date;
};

/** A row of the file as the ledger keeps it, with its outcome if it has one. */
export type LedgerRow = {
  line: number;
  batch_no: number | null;
  invoice: string;
  customer_code: string;
  amount_cents: number | null;
  last_four: string;
  outcome: string | null;
  code: number | null;
  message: string | null;
  authorization: string | null;
};

/** A version of an import profile. The columns of the sample are those of its confirmation. */
export type ProfileRow = {
  profile_no: number;
  name: string;
  /** From 1 within its name. */
  version: number;
  sha256: string;
  /** PROFILE_READER at its import; a version of another reader reads nothing. */
  reader: number;
  text: string;
  first_files: number;
  state: ProfileState;
  reason: string;
  made_by: string;
  made_at: Date;
  confirmed_by: string | null;
  confirmed_at: Date | null;
  /** `profile_no` of the version that was confirmed before it. */
  replaces: number | null;
  sample_sha256: string | null;
  sample_rows: number | null;
  sample_cents: number | null;
  sample_skipped: readonly LeftOut[] | null;
  first_files_left: number | null;
  retired_by: string | null;
  retired_at: Date | null;
};

/** Rows of one kind that a profile leaves out of a file, such as subtotals. */
export type LeftOut = { readonly name: string; readonly rows: number; readonly cents: number };

/** What a schedule did on one business date. */
export type RunRow = {
  schedule: string;
  /** Such as `2026-06-15`, in the schedule's time zone. */
  business_date: string;
  state: RunState;
  due_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  worker: string | null;
  token: string | null;
  tries: number;
  summary: RunSummary;
  /** When, by whom and why a missed or failed run was acknowledged; all three are null before. */
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  acknowledge_reason: string | null;
};

/** What a finished run reports. */
export type RunSummary = {
  /** Reason of its last move. */
  says?: string;
  /** Files taken, and drops that were still being written. */
  files?: number;
  settling?: number;
  /** For a closed day: names of the reports, what is open, and what is missing or in excess. */
  reports?: string[];
  open?: { rows: number; total: string };
  difference?: { rows: number; total: string };
};

/** A call of a batch, as declared before its first byte and as it ended. */
export type AttemptRow = {
  attempt: number;
  worker: string;
  host: string;
  request_bytes: number;
  started_at: Date;
  ended_at: Date | null;
  verdict: string | null;
  evidence: Record<string, unknown> | null;
  resolution: string | null;
};
