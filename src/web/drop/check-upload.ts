import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { describeFault } from '../../kernel/errors.ts';
import { isMessageName } from '../../files/file-names.ts';
import { ask } from '../../ledger/engine/ask.ts';
import { previewVerdict, type Preview } from '../../explain/validate/preview-verdict.ts';
import { unreadCheck } from '../../explain/validate/check-content.ts';
import type { Block } from '../../explain/read-blocks.ts';
import { findDuplicates } from '../../../workers/intake/find-duplicate.ts';
import type { Shown } from '../../../schemas/shown.ts';
import { LAYOUTS } from '../../../schemas/layouts.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import { effectOf } from '../../csv/check/fault-effect.ts';
import { maskName } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault } from '../../rows/rows.ts';
import { faultCells, saidEffect, STATUS_OF_VERDICT } from '../../reconcile/outputs/acknowledgement.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { describeTaking } from '../../explain/read-schedules.ts';

const MOST_FAULTS = 200;

/** Reads a file to its end and previews the decision on it. Nothing is kept. */
export async function checkUpload(
  app: App,
  folder: Folder,
  { name, source }: { name: string; source: AsyncIterable<Uint8Array> },
): Promise<CheckedUpload> {
  if (isMessageName(name)) return checkMessageUpload(app, folder, source);
  return previewVerdict(app, folder, { name, source, mostFaults: MOST_FAULTS });
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
  const [[duplicate]] = await ask(app.ledger.pool, findDuplicates([{ file: { file_id: '', account, ...file } }]));
  const refusal = duplicate ?? (app.account(account).openpgp ? undefined : ({ code: 'PGP_NO_KEY' } as const));
  if (!refusal) return { ...file, decision: 'later' };
  const { check } = unreadCheck(refusal, file);
  const duplicateOf = duplicate?.duplicateOf;
  const decision = { verdict: 'reject', code: refusal.code, reason: describeFault(refusal) } as const;
  return {
    check,
    decision: { ...decision, ...(duplicateOf && { duplicateOf }) },
    faults: check.faults,
    faultCount: 1,
  };
}

/** What the check found; `later` for an encrypted file, which only the intake reads. */
export type CheckedUpload = Preview | { readonly decision: 'later'; readonly bytes: number; readonly sha256: string };

type VerdictWord = 'accept' | 'hold' | 'reject' | 'later';

/** The answer to a check, for a page and for programs. Texts are for people; no card or account number is complete. */
export type Verdict = {
  readonly name: string;
  readonly folder: string;
  readonly verdict: VerdictWord;
  /** How the file would be shown once its checks are done. */
  readonly shown: Shown;
  /** Why its account sends nothing at present, in clauses; empty for a file that is never sent. */
  readonly blockedBy: readonly string[];
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

/** @param blocks what keeps the account of the folder from sending now */
export function toVerdict(
  app: App,
  folder: Folder,
  name: string,
  looked: CheckedUpload,
  blocks: readonly Block[],
): Verdict {
  const blockedBy = blocks.map(({ says }) => says);
  const about = { name: maskName(name), folder: folder.id, taking: describeTaking(app, folder) };
  if (looked.decision === 'later') {
    const { bytes, sha256 } = looked;
    const none = { code: null, duplicateOf: null, rows: null, faults: [], faultCount: 0 };
    return { ...about, verdict: 'later', shown: 'checking', blockedBy, ...WORDS.later, bytes, sha256, ...none };
  }
  const { check, decision, faults, faultCount } = looked;
  const why = decision.verdict === 'accept' ? undefined : decision;
  return {
    ...about,
    verdict: decision.verdict,
    ...standingOf(decision.verdict, blockedBy),
    says: why ? sentenceOf(why.reason) : sayAccepted(check.invalid.rows),
    code: why?.code ?? null,
    duplicateOf: why?.duplicateOf ?? null,
    bytes: check.bytes,
    sha256: check.sha256,
    rows: check.records === 0 ? null : figuresOf(check, app.account(folder.account).currency),
    faults: faults.slice(0, MOST_FAULTS).map((fault) => showFault(fault, folder, decision)),
    faultCount,
  };
}

function standingOf(verdict: 'accept' | 'hold' | 'reject', blockedBy: readonly string[]) {
  if (verdict === 'reject') return { shown: 'rejected', blockedBy: [], title: WORDS.reject.title } as const;
  if (verdict === 'hold') return { shown: 'needs_approval', blockedBy, title: WORDS.hold.title } as const;
  return blockedBy.length === 0
    ? ({ shown: 'queued', blockedBy, title: WORDS.accept.title } as const)
    : ({ shown: 'blocked', blockedBy, title: 'Accepted, but blocked' } as const);
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
  accept: { title: 'Ready to send', says: '' },
  hold: { title: 'Needs approval', says: '' },
  reject: { title: 'Rejected', says: '' },
  later: { title: 'Encrypted', says: 'Encrypted files are checked when they are dropped.' },
};

function sayAccepted(withheld: number): string {
  if (withheld === 0) return 'Every row passed every check.';
  return `${groupedCount(withheld, 'row')} would be withheld, the others sent.`;
}

function sentenceOf(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

function showFault(fault: Fault, folder: Folder, decision: FileDecision) {
  const [, column = '', code = '', , means = '', value = '', remedy = ''] = faultCells(fault);
  const notice = {
    status: STATUS_OF_VERDICT[decision.verdict],
    code: decision.verdict === 'accept' ? null : decision.code,
  };
  const effect = saidEffect(notice, fault, effectOf(fault.code, folder));
  return { line: fault.line === 0 ? null : fault.line, column, code, effect, means, value, remedy };
}
