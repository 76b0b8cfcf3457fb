import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { describeFault } from '../../kernel/errors.ts';
import { isMessageName } from '../../files/message-name.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { previewVerdict, type Preview } from '../../explain/validate/preview-verdict.ts';
import { unreadCheck } from '../../explain/validate/unread-check.ts';
import { findDuplicate } from '../../../workers/intake/find-duplicate.ts';
import { LAYOUTS } from '../../../schemas/layouts.ts';
import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import { effectOf } from '../../csv/check/fault-effect.ts';
import { maskName } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault } from '../../rows/rows.ts';
import { faultCells } from '../../reconcile/outputs/acknowledgement.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { describeTaking } from '../../explain/describe-taking.ts';

const MOST_FAULTS = 200;

/** Reads a file to its end and previews the decision on it. Nothing is kept. */
export async function checkUpload(
  app: App,
  folder: Folder,
  { name, source }: { name: string; source: AsyncIterable<Uint8Array> },
): Promise<CheckedUpload> {
  if (isMessageName(name)) return checkMessageUpload(app, folder, source);
  const { pieces, head } = watchHead(source);
  const preview = await previewVerdict(app, folder, { name, source: pieces, mostFaults: MOST_FAULTS });
  return { ...preview, head: head() };
}

/**
 * Checks the outside of an encrypted file only. Its rows can be trusted only after two reads, and a request's bytes
 * come once; the intake checks the rest.
 */
async function checkMessageUpload(app: App, folder: Folder, source: AsyncIterable<Uint8Array>): Promise<CheckedUpload> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of source) {
    hash.update(piece);
    bytes += piece.length;
  }
  const { account } = folder;
  const file = { bytes, sha256: hash.digest('hex') };
  const duplicate = await transact(app.ledger, (tx) => findDuplicate(tx, { file_id: '', account, ...file }));
  const refusal = duplicate ?? (app.account(account).openpgp ? undefined : ({ code: 'PGP_NO_KEY' } as const));
  const head = new Uint8Array();
  if (!refusal) return { ...file, decision: 'later', head };
  const { check } = unreadCheck(refusal, file);
  const duplicateOf = duplicate?.duplicateOf;
  const decision = { verdict: 'reject', code: refusal.code, reason: describeFault(refusal) } as const;
  return {
    check,
    decision: { ...decision, ...(duplicateOf && { duplicateOf }) },
    faults: check.faults,
    faultCount: 1,
    head,
  };
}

function watchHead(source: AsyncIterable<Uint8Array>) {
  let head = Buffer.alloc(0);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      if (head.length < TELLING_BYTES) head = Buffer.concat([head, piece.subarray(0, TELLING_BYTES)]);
      yield piece;
    }
  }
  return { pieces: pieces(), head: () => head };
}

/** What the check found; `later` for an encrypted file, which only the intake reads. */
export type CheckedUpload = { readonly head: Uint8Array } & (
  | Preview
  | { readonly decision: 'later'; readonly bytes: number; readonly sha256: string }
);

type VerdictWord = 'accept' | 'hold' | 'reject' | 'later';

/** The answer to a check, for a page and for programs. Texts are for people; no card or account number is complete. */
export type Verdict = {
  readonly name: string;
  readonly folder: string;
  readonly verdict: VerdictWord;
  /** One line; `says` has the reason. */
  readonly title: string;
  readonly says: string;
  readonly code: string | null;
  /** The earlier file with the same bytes or rows. */
  readonly duplicateOf: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** Null for a file that was not read as rows. */
  readonly rows: ReturnType<typeof figuresOf> | null;
  readonly faults: readonly ReturnType<typeof showFault>[];
  readonly faultCount: number;
  readonly taking: string;
};

export function toVerdict(app: App, folder: Folder, name: string, looked: CheckedUpload): Verdict {
  const about = { name: maskName(name), folder: folder.id, taking: describeTaking(app, folder) };
  if (looked.decision === 'later') {
    const { bytes, sha256 } = looked;
    const none = { code: null, duplicateOf: null, rows: null, faults: [], faultCount: 0 };
    return { ...about, verdict: 'later', ...WORDS.later, bytes, sha256, ...none };
  }
  const { check, decision, faults, faultCount, head } = looked;
  const why = decision.verdict === 'accept' ? undefined : decision;
  return {
    ...about,
    verdict: decision.verdict,
    title: WORDS[decision.verdict].title,
    says: why ? sayWhy(why.reason, decision.verdict === 'reject' ? head : undefined) : sayAccepted(check.invalid.rows),
    code: why?.code ?? null,
    duplicateOf: why?.duplicateOf ?? null,
    bytes: check.bytes,
    sha256: check.sha256,
    rows: check.records === 0 ? null : figuresOf(check, app.account(folder.account).currency),
    faults: faults.slice(0, MOST_FAULTS).map((fault) => showFault(fault, folder)),
    faultCount,
  };
}

function figuresOf({ records, valid, invalid, layout }: FileCheck, currency: string) {
  return {
    records,
    valid: valid.rows,
    withheld: invalid.rows,
    totalCents: valid.cents,
    total: groupDigits(formatCents(valid.cents)),
    currency,
    layout: layout && LAYOUTS[layout].title,
  };
}

const WORDS: Readonly<Record<VerdictWord, { title: string; says: string }>> = {
  accept: { title: 'Would be accepted', says: '' },
  hold: { title: 'Would be held', says: '' },
  reject: { title: 'Would be refused', says: '' },
  later: { title: 'Encrypted', says: 'Encrypted files are checked when they are dropped.' },
};

function sayAccepted(withheld: number): string {
  if (withheld === 0) return 'Every row passed every check.';
  return `${groupedCount(withheld, 'row')} would be withheld, the others sent.`;
}

function sayWhy(reason: string, head: Uint8Array | undefined): string {
  const kind = head && tellKind(head);
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return kind ? `This is ${kind.is}. ${kind.advice} ${sentence}` : sentence;
}

function showFault(fault: Fault, folder: Folder) {
  const [, column = '', code = '', effect = '', means = '', value = '', mend = ''] = faultCells(
    fault,
    effectOf(fault.code, folder),
  );
  return { line: fault.line === 0 ? null : fault.line, column, code, effect, means, value, mend };
}

/** Kinds of files often mistaken for CSV, by their first bytes. They are never opened or unpacked. */
const KINDS: readonly { readonly is: string; readonly at: number; readonly bytes: string; readonly advice: string }[] =
  [
    kind(
      'a ZIP archive or an Excel workbook',
      '504b0304',
      'Save the sheet as CSV, or take the CSV file out of the archive',
    ),
    kind('an empty ZIP archive', '504b0506', 'Choose the CSV file itself'),
    kind('an old Excel workbook', 'd0cf11e0', 'Save the sheet as CSV'),
    kind('a gzip archive', '1f8b', 'Unpack it first'),
    kind('a bzip2 archive', '425a68', 'Unpack it first'),
    kind('an xz archive', 'fd377a585a00', 'Unpack it first'),
    kind('a Zstandard archive', '28b52ffd', 'Unpack it first'),
    kind('a 7-Zip archive', '377abcaf271c', 'Unpack it first'),
    kind('a tar archive', hexOf('ustar'), 'Take the CSV file out of it', 257),
    kind('a PDF', hexOf('%PDF-'), 'Export the payments as CSV'),
    kind('an encrypted message', hexOf('-----BEGIN PGP'), 'Give it a name that ends in .pgp, .gpg or .asc'),
  ];

/** Number of bytes needed to recognize a kind. */
export const TELLING_BYTES = 262;

/** Returns the kind of a file that is not CSV and what to do; undefined when it is not recognized. */
export function tellKind(head: Uint8Array): { is: string; advice: string } | undefined {
  const found = KINDS.find(({ at, bytes }) => Buffer.from(head).toString('hex', at, at + bytes.length / 2) === bytes);
  return found && { is: found.is, advice: `${found.advice}, and choose that.` };
}

function kind(is: string, bytes: string, advice: string, at = 0) {
  return { is, at, bytes, advice };
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}
