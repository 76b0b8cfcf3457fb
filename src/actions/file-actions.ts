import { FINAL_BATCH_STATES, FINAL_FILE_STATES, type FileState } from '../../schemas/lifecycle.ts';
import { saidState } from '../../schemas/shown.ts';
import { isUnsent } from '../ledger/batch/conditions.ts';
import { tryOut } from './resolve/carry-out.ts';
import { byNumber, counted } from '../kernel/counted.ts';
import { PipelineError } from '../kernel/errors.ts';
import { cancelFile, type Cancelled } from '../ledger/file/cancel-file.ts';
import { approveFile, approveHeld, declineFile, proposeApproval } from '../ledger/file/release-held.ts';
import { acknowledgeLate, type OpenLate, readOpenLate } from '../ledger/file/late-arrivals.ts';
import { readMaker, readOpenProposalOf } from '../ledger/proposal/proposals.ts';
import { type LinkedFile, readLinkedFiles } from '../ledger/file/list-files.ts';
import { readBatches, readFileState } from '../ledger/file/read-file.ts';
import { withheldOf } from '../ledger/file/file-figures.ts';
import type { FaultCount } from '../ledger/row/fault-counts.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { transact } from '../ledger/engine/transaction.ts';
import { sayPair } from '../explain/double-charges.ts';
import { type DoubleCharge, readDoublesOf } from '../ledger/duplicates/read-double-charges.ts';
import { describeReason, readHoldReasons } from '../explain/hold-reasons.ts';
import { capital, ended, whoDid } from '../explain/why/sentence.ts';
import { sayStaysBack } from '../reconcile/say-withheld.ts';
import type { Action, ActionContext, ActionReport } from './action.ts';
import { evidenceRows } from './evidence-facts.ts';
import { fileFacts, sumWords } from './subject-words.ts';
import type { Settings } from '../config/config.ts';
import { takesTwoToApprove } from '../config/account-rules.ts';
import type { AuditReason } from '../ledger/engine/move.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';

/** Approves a held file, or proposes it where the account requires two persons. */
export const approve: Action<'file'> = {
  from: ['held'],
  plan: async (context, { file }, { actor }) => {
    const { ledger, settings } = context;
    const isProposal = isTwoPersonMatter(settings, file);
    // Tried and rolled back, so that no plan is shown for an approval that would be refused.
    let doubles: DoubleCharge[] = [];
    await transact(ledger, (tx) =>
      tryOut(tx, async (trial) => {
        await approveHeld(trial, file.file_id, { actor: isProposal ? 'nobody' : actor, reason: 'tried' });
        doubles = await readDoublesOf(trial.client, { fileId: file.file_id });
      }),
    );
    if (isProposal) await mustBeUnproposed(context, file);
    const held = await readHoldReasons(ledger, file);
    const sum = sumOfFile(context, file);
    const corrections = await readCorrections(ledger, file);
    return {
      says: [
        isProposal
          ? `You propose to send ${sum}. It is sent once another person confirms it.`
          : `${capital(sum)} will be sent.`,
        ...sayChargedMeanwhile(context, file, doubles),
        ...corrections.map(sayCorrected),
        ...decidedWords(file, held),
      ],
      facts: [...(await fileFacts(context, file)), ['Dropped on the dashboard by', await makerOf(context, file)]],
      listing: await evidenceRows(ledger, file, held),
      binds: { 'hold reasons': held, corrections: corrections.map(({ fileId }) => fileId) },
      isProposal,
      button: `${isProposal ? 'Propose to approve' : 'Approve'} ${sum}`,
    };
  },
  run: async (context, { file }, _input, because) => {
    const { ledger, settings } = context;
    const { held, proposalNo } = await approveOrPropose(ledger, settings, file, because);
    const sum = sumOfFile(context, file);
    const json = await decidedJson(context, file, held);
    const doubles = await readDoublesOf(ledger.pool, { fileId: file.file_id });
    const details = [...sayChargedMeanwhile(context, file, doubles), ...decidedWords(file, held)];
    if (proposalNo === undefined)
      return { says: `Approved: ${sum} will be sent.`, details, next: [{ to: 'file', file }], json };
    return {
      says: `Proposed: ${sum}. Another person must confirm it.`,
      details,
      next: [{ to: 'proposals', proposalNo }],
      status: 'held',
      json: { ...json, proposalNo },
    };
  },
};

/** Declines a held file for good. */
export const decline: Action<'file'> = {
  from: ['held'],
  plan: async (context, { file }) => {
    const held = await readHoldReasons(context.ledger, file);
    const sent = (await readBatches(context.ledger, file.file_id)).filter(({ state }) => state === 'reconciled');
    return {
      says: [
        sent.length === 0
          ? `${capital(sumOfFile(context, file))} will never be sent. This cannot be undone.`
          : `What was not sent will never be sent; ${byNumber(sent.length, 'batch', 'batches')} ${sent.map((batch) => batch.batch_no).join(', ')} ${byNumber(sent.length, 'was', 'were')} sent before and ${byNumber(sent.length, 'keeps its', 'keep their')} outcomes. This cannot be undone.`,
        ...held.map((reason) => `Needs approval because ${ended(describeReason(reason))}`),
      ],
      facts: await fileFacts(context, file),
      listing: await evidenceRows(context.ledger, file, held),
      button: `Decline ${sumOfFile(context, file)}`,
    };
  },
  run: async (context, { file }, _input, because) => {
    const held = await readHoldReasons(context.ledger, file);
    await declineFile(context.ledger, file.file_id, because);
    const state = await readFileState(context.ledger, file.file_id);
    return {
      says:
        state === 'cancelled'
          ? `Declined: ${sumOfFile(context, file)} will never be sent.`
          : 'Declined: what was not sent will never be sent. The results of the rest follow.',
      json: await decidedJson(context, file, held),
    };
  },
};

/** Payments that a plan writes out. */
const MOST_SAID = 5;

/** Names the rows of a held file that may have been charged meanwhile. Their batches stay, whatever is approved. */
function sayChargedMeanwhile({ settings }: ActionContext, file: FileRow, pairs: readonly DoubleCharge[]): string[] {
  const open = pairs.filter(({ releasedAt }) => releasedAt === null);
  if (open.length === 0) return [];
  const timeZone = settings.accounts.get(file.account)?.timeZone ?? 'UTC';
  const batches = [...new Set(open.map(({ row }) => row.batchNo))].toSorted((one, other) => one - other);
  const stay = `${capital(byNumber(batches.length, 'batch', 'batches'))} ${batches.join(', ')} ${byNumber(batches.length, 'stays', 'stay')} unsent until a person releases or cancels ${byNumber(batches.length, 'it', 'them')}.`;
  return [
    `${counted(open.length, 'row')} may have been charged since the file was checked. ${stay}`,
    ...open.slice(0, MOST_SAID).map((pair) => capital(ended(sayPair(pair, timeZone)))),
  ];
}

/** Lets a file continue after a person looked at what came late of it. */
export const acknowledge: Action<'file'> = {
  from: ['accepted', 'in_progress', ...FINAL_FILE_STATES],
  plan: async (context, { file }) => {
    const { says } = await mustHaveLate(context, file);
    const unsent = (await readBatches(context.ledger, file.file_id)).filter(({ state }) => state === 'ready');
    return {
      says: [
        `After ${file.name} was taken: ${ended(says)}`,
        unsent.length > 0
          ? `${capital(sumOfBatches(context, file, unsent))} in ${batchesOf(unsent)} will be sent as taken.`
          : 'Nothing more of it is sent.',
        'What came late is not sent. If it holds payments, ask the sender to drop them as a new file.',
      ],
      facts: await fileFacts(context, file),
      binds: { late: says },
      ...(unsent.length > 0 && { button: `Send ${sumOfBatches(context, file, unsent)}` }),
    };
  },
  run: async (context, { file }, _input, because) => {
    const { says } = await mustHaveLate(context, file);
    await acknowledgeLate(context.ledger, file.file_id, because);
    return {
      says: `Acknowledged: what came late of ${file.name} holds nothing up any more.`,
      json: { fileId: file.file_id, name: file.name, state: file.state, cameLate: says },
    };
  },
};

async function mustHaveLate({ ledger }: ActionContext, file: FileRow): Promise<OpenLate> {
  const [late] = await readOpenLate(ledger, [file.file_id]);
  if (late) return late;
  throw new PipelineError('MOVE_REFUSED', `acknowledge what came late of "${file.name}"`, 'nothing came late');
}

/** Returns the files that were uploaded in place of this one and that may be sent, or were. */
async function readCorrections(ledger: Ledger, { file_id: fileId }: FileRow): Promise<LinkedFile[]> {
  const linked = await readLinkedFiles(ledger, fileId);
  return linked.filter(({ kind, state }) => kind === 'corrected_by' && state !== null && !NEVER_SENT.includes(state));
}

function sayCorrected({ name, state }: LinkedFile): string {
  return `It was corrected: "${name}" was uploaded in its place and is ${saidState(state!)}. With both, payments may be made twice.`;
}

const NEVER_SENT: readonly FileState[] = ['rejected', 'cancelled'];

/** Describes what an approval leaves behind, and every hold reason that it overrides. */
function decidedWords(file: FileRow, held: readonly FaultCount[]): string[] {
  return [
    ...(file.invalid_rows ? [`${sayStaysBack(withheldOf(file))}.`] : []),
    ...(held.some(({ code }) => code === 'SENT_BEFORE')
      ? ['Batches sent before are not sent again; a person must resolve them.']
      : []),
    ...held.map((reason) => `Needs approval because ${ended(describeReason(reason))}`),
  ];
}

/** @param held reasons for which the file waited before the decision */
async function decidedJson({ ledger }: ActionContext, file: FileRow, held: readonly FaultCount[]) {
  const { file_id: fileId, name, valid_rows: rows, valid_cents: cents, invalid_rows: withheldRows } = file;
  return { fileId, name, state: await readFileState(ledger, fileId), rows, cents, withheldRows, held };
}

/** Stops what is not sent yet of a file; the rest continues to its end. */
export const cancel: Action<'file'> = {
  from: ['accepted', 'in_progress'],
  comparesJournal: true,
  plan: async (context, { file }) => {
    const batches = await readBatches(context.ledger, file.file_id);
    const stopped = batches.filter(({ state }) => isUnsent(state));
    const goingOn = batches.filter(({ state }) => !isUnsent(state) && !isFinal(state));
    if (stopped.length === 0) {
      const why = goingOn.length > 0 ? 'every batch was already sent' : 'every batch is final';
      throw new PipelineError('MOVE_REFUSED', `cancel file "${file.name}"`, why, {
        next: 'Sent batches cannot be recalled; their results follow.',
      });
    }
    return {
      says: [
        `${capital(sumOfBatches(context, file, stopped))} in ${batchesOf(stopped)} will never be sent. This cannot be undone.`,
        ...(goingOn.length > 0
          ? [
              `${capital(batchesOf(goingOn))} cannot be recalled and ${byNumber(goingOn.length, 'continues to its', 'continue to their')} end.`,
            ]
          : []),
      ],
      facts: await fileFacts(context, file),
      button: `Cancel ${sumOfBatches(context, file, stopped)}`,
    };
  },
  run: async (context, { file }, _input, because) =>
    sayCancelled(context, file, await cancelFile(context.ledger, file.file_id, because)),
};

/** Describes the outcome of a cancel of a file or one batch. */
export async function sayCancelled(
  context: ActionContext,
  file: FileRow,
  { state, cancelled, goingOn }: Cancelled,
): Promise<ActionReport> {
  const batches = await readBatches(context.ledger, file.file_id);
  const stopped = batches.filter((batch) => cancelled.includes(batch.batch_no));
  const open = goingOn.map((batch) => `${batch.batchNo} (${saidState(batch.state)})`).join(', ');
  return {
    says: `Cancelled: ${sumOfBatches(context, file, stopped)} will never be sent.`,
    details: [
      open === ''
        ? `${file.name} is ${saidState(state)}; its output files follow.`
        : `Going on: batch ${open}. The cancelled rows appear as NOT_SENT in the results.`,
    ],
    json: { fileId: file.file_id, name: file.name, state, cancelled, goingOn },
  };
}

async function makerOf({ ledger }: ActionContext, { file_id: fileId }: FileRow): Promise<string> {
  const maker = await readMaker(ledger, fileId);
  return maker === undefined ? '' : whoDid(maker);
}

async function mustBeUnproposed({ ledger }: ActionContext, file: FileRow): Promise<void> {
  const open = await readOpenProposalOf(ledger, { fileId: file.file_id });
  if (open) throw new PipelineError('PROPOSAL_OPEN', `propose to approve "${file.name}"`);
}

function isFinal(state: BatchRow['state']): boolean {
  return FINAL_BATCH_STATES.some((final) => final === state);
}

function sumOfFile(context: ActionContext, { account, valid_rows: rows, valid_cents: cents }: FileRow): string {
  return sumWords(context, account, rows ?? 0, cents ?? 0);
}

function sumOfBatches(context: ActionContext, { account }: FileRow, batches: readonly BatchRow[]): string {
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  return sumWords(
    context,
    account,
    rows,
    batches.reduce((sum, batch) => sum + batch.cents, 0),
  );
}

function batchesOf(batches: readonly BatchRow[]): string {
  return batches.length === 1 ? `batch ${batches[0]!.batch_no}` : counted(batches.length, 'batch');
}

/** Result of approving a held file. With a number it is only proposed. */
export type ApprovedOrProposed = { held: FaultCount[]; proposalNo?: number };

/**
 * Approves a held file, or proposes that where its account requires two persons. The audit trail records every hold
 * reason that is overridden.
 * @throws PipelineError MOVE_REFUSED, SECOND_PERSON, PROPOSAL_OPEN
 */
export async function approveOrPropose(
  ledger: Ledger,
  settings: Settings,
  file: FileRow,
  because: AuditReason,
): Promise<ApprovedOrProposed> {
  const held = await readHoldReasons(ledger, file);
  const told = { ...because, evidence: { overrides: held.map(({ code }) => code) } };
  if (isTwoPersonMatter(settings, file)) return { held, proposalNo: await proposeApproval(ledger, file.file_id, told) };
  await approveFile(ledger, file.file_id, told);
  return { held };
}

export function isTwoPersonMatter({ accounts }: Pick<Settings, 'accounts'>, file: FileRow): boolean {
  return takesTwoToApprove(accounts.get(file.account), file.operation);
}
