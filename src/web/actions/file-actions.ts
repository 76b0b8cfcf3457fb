import { tryOut } from '../../actions/resolve/carry-out.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { cancelFile, type Cancelled } from '../../ledger/file/cancel-file.ts';
import { approveHeld, declineFile } from '../../ledger/file/release-held.ts';
import { readMaker, readOpenProposalOf } from '../../ledger/proposal/proposals.ts';
import { readBatches, readFileState } from '../../ledger/file/read-file.ts';
import { withheldOf } from '../../ledger/row/read-withheld.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { describeReason, readHoldReasons } from '../../explain/hold-reasons.ts';
import { isTwoPersonMatter, approveOrPropose } from '../../actions/approve-or-propose.ts';
import { capital, ended, whoDid } from '../../explain/why/sentence.ts';
import { sayStaysBack } from '../../reconcile/say-withheld.ts';
import type { WebContext } from '../web-context.ts';
import type { ActionHandler, Done } from './action-handler.ts';
import { fileFacts, sumWords } from './subject-words.ts';

/** Approves a held file, or proposes it where the account requires two persons. */
export const approve: ActionHandler<'file'> = {
  from: ['held'],
  plan: async (context, { file }, { actor }) => {
    const { ledger, settings } = context.app;
    const isProposal = isTwoPersonMatter(settings, file);
    // Tried and rolled back, so that no plan is shown for an approval that would be refused.
    await transact(ledger, (tx) =>
      tryOut(tx, (trial) =>
        approveHeld(trial, file.file_id, { actor: isProposal ? 'nobody' : actor, reason: 'tried' }),
      ),
    );
    if (isProposal) await mustBeUnproposed(context, file);
    const held = await readHoldReasons(ledger, settings, file);
    const sum = sumOfFile(context, file);
    return {
      says: [
        isProposal
          ? `You propose to send ${sum}. It is sent once another person has confirmed.`
          : `${capital(sum)} will be sent.`,
        ...(file.invalid_rows ? [`${sayStaysBack(withheldOf(file))}.`] : []),
        ...(held.some(({ code }) => code === 'SENT_BEFORE')
          ? ['What was sent before does not leave again; those batches have to be ended by a person.']
          : []),
        ...held.map((reason) => `Held because of ${ended(describeReason(reason))}`),
      ],
      facts: [...fileFacts(context, file), ['Dropped on the dashboard by', await makerOf(context, file)]],
      isProposal,
      button: `${isProposal ? 'Propose to approve' : 'Approve'} ${sum}`,
    };
  },
  run: async (context, { file }, _input, because) => {
    const { ledger, settings } = context.app;
    const { held, proposalNo } = await approveOrPropose(ledger, settings, file, because);
    const sum = sumOfFile(context, file);
    const codes = held.map(({ code }) => code);
    const state = await readFileState(ledger, file.file_id);
    const json = { fileId: file.file_id, state, rows: file.valid_rows, cents: file.valid_cents, held: codes };
    if (proposalNo === undefined) return { says: `Approved: ${sum} will be sent.`, json };
    return {
      says: `Proposed: ${sum}. Another person has to confirm it.`,
      links: [{ path: '/proposals', label: 'What waits for a second person' }],
      json: { ...json, proposalNo },
    };
  },
};

/** Declines a held file for good. */
export const decline: ActionHandler<'file'> = {
  from: ['held'],
  plan: async (context, { file }) => {
    const held = await readHoldReasons(context.app.ledger, context.app.settings, file);
    return {
      says: [
        `${capital(sumOfFile(context, file))} will never be sent. This cannot be taken back.`,
        ...held.map((reason) => `Held because of ${ended(describeReason(reason))}`),
      ],
      facts: fileFacts(context, file),
      button: `Decline ${sumOfFile(context, file)}`,
    };
  },
  run: async (context, { file }, _input, because) => {
    await declineFile(context.app.ledger, file.file_id, because);
    const state = await readFileState(context.app.ledger, file.file_id);
    return { says: `Declined: ${sumOfFile(context, file)} will never be sent.`, json: { fileId: file.file_id, state } };
  },
};

/** States of a batch that can still be stopped: nothing is charged or in progress. */
const STOPPABLE: readonly string[] = ['ready', 'preparing', 'refused'];

/** Stops what is not sent yet of a file; the rest continues to its end. */
export const cancel: ActionHandler<'file'> = {
  from: ['accepted', 'in_progress'],
  comparesJournal: true,
  plan: async (context, { file }) => {
    const batches = await readBatches(context.app.ledger, file.file_id);
    const stopped = batches.filter(({ state }) => STOPPABLE.includes(state));
    const goingOn = batches.filter(({ state }) => !STOPPABLE.includes(state) && !isFinal(state));
    if (stopped.length === 0) {
      const why = goingOn.length > 0 ? 'every batch of it was sent already' : 'every batch of it has ended';
      throw new PipelineError('MOVE_REFUSED', `cancel file "${file.name}"`, why, {
        next: 'What was sent cannot be called back; its results follow.',
      });
    }
    return {
      says: [
        `${capital(sumOfBatches(context, file, stopped))} in ${batchesOf(stopped)} will never be sent. This cannot be taken back.`,
        ...(goingOn.length > 0
          ? [
              `${capital(batchesOf(goingOn))} cannot be called back and ${byNumber(goingOn.length, 'goes on to its', 'go on to their')} end.`,
            ]
          : []),
      ],
      facts: fileFacts(context, file),
      button: `Cancel ${sumOfBatches(context, file, stopped)}`,
    };
  },
  run: async (context, { file }, _input, because) => {
    const done = await cancelFile(context.app.ledger, file.file_id, because);
    return sayCancelled(context, file, done);
  },
};

/** Describes the outcome of a cancel of a file or one batch. */
export async function sayCancelled(
  context: WebContext,
  file: FileRow,
  { state, cancelled, goingOn }: Cancelled,
): Promise<Done> {
  const batches = await readBatches(context.app.ledger, file.file_id);
  const stopped = batches.filter((batch) => cancelled.includes(batch.batch_no));
  const open = goingOn.map((batch) => `${batch.batchNo} (${batch.state.replaceAll('_', ' ')})`).join(', ');
  return {
    says: `Cancelled: ${sumOfBatches(context, file, stopped)} will never be sent.`,
    details: [
      open === ''
        ? `${file.name} is ${state.replaceAll('_', ' ')}; its output files follow.`
        : `Going on: batch ${open}. The cancelled rows stand in the results as NOT_SENT.`,
    ],
    json: { fileId: file.file_id, state, cancelled, goingOn },
  };
}

async function makerOf({ app }: WebContext, { file_id: fileId }: FileRow): Promise<string> {
  const maker = await readMaker(app.ledger, fileId);
  return maker === undefined ? '' : whoDid(maker);
}

async function mustBeUnproposed({ app }: WebContext, file: FileRow): Promise<void> {
  const open = await readOpenProposalOf(app.ledger, { fileId: file.file_id });
  if (open) throw new PipelineError('PROPOSAL_OPEN', `propose to approve "${file.name}"`);
}

function isFinal(state: BatchRow['state']): boolean {
  return state === 'reconciled' || state === 'cancelled';
}

function sumOfFile(context: WebContext, { account, valid_rows: rows, valid_cents: cents }: FileRow): string {
  return sumWords(context, account, rows ?? 0, cents ?? 0);
}

function sumOfBatches(context: WebContext, { account }: FileRow, batches: readonly BatchRow[]): string {
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
