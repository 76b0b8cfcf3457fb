import { PipelineError } from '../kernel/errors.ts';
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
    if (file.state === 'held') await declineFile(context.ledger, file.file_id, because);
    else if (!isOver(file)) await cancelFile(context.ledger, file.file_id, because);
    const ended = await readFileRow(context.ledger, file.file_id);
    const plan = await planMove(context, ended);
    const dropped = await resubmitRows(context, ended, plan, { ...because, evidence: { movedTo: account } });
    return {
      says: `Moved: ${sumWords(context, account, plan.lines.length, plan.cents)}. They are in ${dropped?.name ?? 'no file'} in ${file.folder}.`,
      json: { fileId: file.file_id, account, name: dropped?.name ?? null, rows: plan.lines.length, cents: plan.cents },
    };
  },
};

const planMove = (context: AppContext, file: FileRow) => planResubmission(context, file, 'not-sent', { mayMove: true });

const isOver = ({ state }: FileRow) => state === 'cancelled' || state === 'partly_cancelled';

async function sumOf(context: AppContext, file: FileRow): Promise<string> {
  if (isOver(file)) {
    const { lines, cents } = await planMove(context, file);
    if (lines.length > 0) return sumWords(context, file.account, lines.length, cents);
    throw new PipelineError('MOVE_REFUSED', `move "${file.name}"`, 'no row of it is left that was not sent');
  }
  const { rows } = await context.ledger.pool.query<{ rows: number; cents: number }>(
    `SELECT coalesce(sum(rows), 0)::int AS rows, coalesce(sum(cents), 0)::bigint AS cents
     FROM batch WHERE file_id = $1 AND state = 'ready'`,
    [file.file_id],
  );
  return sumWords(context, file.account, rows[0]!.rows, rows[0]!.cents);
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
