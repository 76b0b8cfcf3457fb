import { PipelineError } from '../kernel/errors.ts';
import { IS_UNSENT } from '../ledger/batch/conditions.ts';
import { cancelFile } from '../ledger/file/cancel-file.ts';
import { declineFile } from '../ledger/file/release-held.ts';
import { readFileRow } from '../ledger/file/read-file.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import { folderOf } from '../../workers/open-original.ts';
import type { AppAction, AppContext } from './action.ts';
import { planResubmission, resubmitRows } from './resubmit.ts';
import { fileFacts, sumWords } from './subject-words.ts';

/**
 * Moves the unsent rows of a file that was taken for another merchant, country or currency to the present account of its
 * folder: they are canceled where they are and come again as a new file, which is checked like any other.
 */
export const move: AppAction<'file'> = {
  needs: 'app',
  // Of a canceled one, too: a crash may have come between the cancellation and the new file.
  from: ['held', 'accepted', 'in_progress', 'partly_cancelled', 'cancelled'],
  comparesJournal: true,
  plan: async (context, { file }) => {
    const { account, currency } = targetOf(context, file);
    const sum = await sumOf(context, file);
    return {
      says: [
        `What is not sent of ${file.name} is canceled for account ${file.account} and comes again as a new file for account ${account} in ${currency}. There it is checked like any other: nothing is sent unseen.`,
      ],
      facts: [
        ...(await fileFacts(context, file)),
        ['From', `${file.account}, ${context.style(file.account).currency}`],
        ['To', `${account}, ${currency}`],
      ],
      binds: { merchant: [account, currency, context.ledger.bound.get(account)?.merchantNo ?? null] },
      button: `Move ${sum} to ${account}`,
    };
  },
  run: async (context, { file }, _input, because) => {
    const { account } = targetOf(context, file);
    const unsent = await unsentOf(context, file);
    if (file.state === 'held') await declineFile(context.ledger, file.file_id, because);
    else if (unsent.rows > 0) await cancelFile(context.ledger, file.file_id, because);
    const ended = await readFileRow(context.ledger, file.file_id);
    const plan = await planMove(context, ended);
    if (plan.lines.length === 0 && unsent.rows === 0) throw nothingLeft(file);
    const dropped = await resubmitRows(context, ended, plan, { ...because, evidence: { movedTo: account } });
    return {
      says: `Moved: ${sumWords(context, account, plan.lines.length, plan.cents)}. They are in ${dropped?.name ?? 'no file'} in ${file.folder}.`,
      json: { fileId: file.file_id, account, name: dropped?.name ?? null, rows: plan.lines.length, cents: plan.cents },
    };
  },
};

/** While batches of the file wait for their results, only rows of canceled ones are certainly not sent. */
async function planMove(context: AppContext, file: FileRow) {
  const wanted = file.state === 'in_progress' ? await canceledLines(context, file) : 'not-sent';
  return planResubmission(context, file, wanted, { mayMove: true });
}

async function canceledLines({ ledger }: AppContext, file: FileRow): Promise<ReadonlySet<number>> {
  const { rows } = await ledger.pool.query<{ line: number }>(
    `SELECT r.line FROM payment_row r JOIN batch b ON b.file_id = $2 AND b.batch_no = r.batch_no
     WHERE r.file_no = $1 AND b.state = 'cancelled'`,
    [file.file_no, file.file_id],
  );
  return new Set(rows.map(({ line }) => line));
}

async function sumOf(context: AppContext, file: FileRow): Promise<string> {
  const unsent = await unsentOf(context, file);
  if (unsent.rows > 0 || file.state === 'held') return sumWords(context, file.account, unsent.rows, unsent.cents);
  const { lines, cents } = await planMove(context, file);
  if (lines.length === 0) throw nothingLeft(file);
  return sumWords(context, file.account, lines.length, cents);
}

/** Sums what a move has to cancel first. */
async function unsentOf({ ledger }: AppContext, file: FileRow): Promise<{ rows: number; cents: number }> {
  const { rows } = await ledger.pool.query<{ rows: number; cents: number }>(
    `SELECT coalesce(sum(rows), 0)::int AS rows, coalesce(sum(cents), 0)::bigint AS cents
     FROM batch WHERE file_id = $1 AND ${IS_UNSENT}`,
    [file.file_id],
  );
  return rows[0]!;
}

function nothingLeft({ name }: FileRow): PipelineError {
  return new PipelineError('MOVE_REFUSED', `move "${name}"`, 'no row of it is left that was not sent');
}

/** @throws PipelineError MOVE_REFUSED when the file was never read, or is where it belongs */
function targetOf(context: AppContext, file: FileRow): { account: string; currency: string } {
  const { account } = folderOf(context, file.folder, file.file_id);
  if (file.layout === null)
    throw new PipelineError('MOVE_REFUSED', `move "${file.name}"`, 'it was never read, so its rows are not known', {
      next: 'Decline it, and ask its sender to drop it again.',
    });
  if (account === file.account && context.ledger.bound.get(account)?.merchantNo === file.merchant_no)
    throw new PipelineError(
      'MOVE_REFUSED',
      `move "${file.name}"`,
      'it was taken for the account that its folder has now',
    );
  return { account, currency: context.account(account).currency };
}
