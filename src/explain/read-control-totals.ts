import { FINAL_BATCH_STATES } from '../../schemas/lifecycle.ts';
import { figuresOfFile } from '../../workers/deliver/summary-of-file.ts';
import { counted } from '../kernel/counted.ts';
import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import type { FileFigures } from '../ledger/file/file-figures.ts';
import type { FileRow, OutputRow } from '../ledger/engine/records.ts';
import { checkControlTotals, type ControlTotal } from '../reconcile/control-totals.ts';

/** A control total of a file at this moment. `not needed` is one that such a file never reaches. */
export type ToldTotal = {
  id: string;
  state: 'agree' | 'differ' | 'not yet' | 'not needed';
  /** Both figures, or what has to happen first. */
  says: string;
};

/**
 * Reads the control totals H0 to H8. A completed file keeps those checked at completion. For a file in progress the
 * ledger's sums are compared, as far as they can hold yet. Empty for a refused file: nothing was sent.
 */
export async function readControlTotals(
  ledger: Ledger,
  file: FileRow,
  { figures, outputs }: { figures: FileFigures; outputs: readonly Pick<OutputRow, 'kind'>[] },
): Promise<ToldTotal[]> {
  if (file.state === 'rejected') return [];
  const checked = file.state === 'completed' ? await readCheckedTotals(ledger, file.file_id) : undefined;
  if (checked) return checked.map(tell);
  const totals = checkControlTotals({ ...figuresOfFile(file), ...sumsOf(figures) });
  const isDelivered = outputs.some(({ kind }) => kind === 'summary-txt');
  return totals.map((total) => reserve(total, file, figures, isDelivered) ?? tell(total));
}

function tell({ id, holds, says }: ControlTotal): ToldTotal {
  return { id, state: holds ? 'agree' : 'differ', says };
}

/** Reads the totals at completion, which the audit trail keeps as evidence. */
async function readCheckedTotals(ledger: Ledger, fileId: string): Promise<ControlTotal[] | undefined> {
  const { rows } = await ledger.pool.query<{ totals: ControlTotal[] | null }>(
    `SELECT evidence->'controlTotals' AS totals FROM audit
     WHERE file_id = $1 AND batch_no IS NULL AND move = 'complete' ORDER BY seq DESC LIMIT 1`,
    [fileId],
  );
  return rows[0]?.totals ?? undefined;
}

/** Counts cancelled batches as `not_sent`, separately, so that a lost row shows. */
function sumsOf({ states, first, withheld }: FileFigures): {
  batches: Totals[];
  outcomes: OutcomeTotals;
  delivered: OutcomeTotals;
} {
  const { cancelled } = states;
  const outcomes = {
    ...first,
    ...(cancelled && { not_sent: cancelled }),
    ...(withheld.rows > 0 && { invalid: withheld }),
  };
  // A difference in H8 prevents the summary, so once the summary exists both sides are equal.
  return { batches: Object.values(states), outcomes, delivered: outcomes };
}

/** Returns what the equation alone cannot tell: it is too early, or a state shows that it failed. */
function reserve({ id }: ControlTotal, file: FileRow, { states }: FileFigures, isDelivered: boolean) {
  const notYet = (says: string): ToldTotal => ({ id, state: 'not yet', says });
  const isRead = file.state !== 'claimed' && file.layout !== null;
  const isOpen = Object.keys(states).some((state) => !(FINAL_BATCH_STATES as readonly string[]).includes(state));
  switch (id) {
    case 'H1':
      if (file.state === 'held' && file.reason_code === 'MODIFIED_AFTER_CLAIM')
        return { id, state: 'differ', says: 'the bytes read are not the bytes claimed' } as const;
      return isRead ? undefined : notYet('when its rows have been read');
    case 'H0':
    case 'H2':
    case 'H3':
    case 'H4':
    case 'H5':
      return isRead ? undefined : notYet('when its rows have been read');
    case 'H6':
      if (states.exception)
        return {
          id,
          state: 'differ',
          says: `the results of ${counted(states.exception.batches, 'batch')} do not fit what was sent`,
        } as const;
      if (file.state === 'cancelled')
        return { id, state: 'not needed', says: 'nothing was sent, so there is no result' } as const;
      return isRead && !isOpen ? undefined : notYet('when every result is here');
    case 'H7':
      return isRead && !isOpen ? undefined : notYet('when every batch has ended');
    case 'H8':
      if (file.state === 'cancelled')
        return { id, state: 'not needed', says: 'nothing was sent, so there is no result file' } as const;
      return isDelivered ? undefined : notYet('when the result file is written and read back');
    default:
      return undefined;
  }
}
