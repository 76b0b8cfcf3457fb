import type { Transaction } from '../engine/transaction.ts';
import { bindingOfFile } from './binding.ts';
import type { Because } from '../engine/move.ts';
import type { Binding, ProposalRow } from './propose.ts';
import { approveHeld } from '../file/release-held.ts';
import { RESOLUTION_ACTIONS } from '../doubt/resolution-actions.ts';

/** What becomes of a proposal of this kind when another person confirms it. */
export type ProposedAction = {
  /** For the list of proposals: "send the valid rows of the file". */
  readonly about: string;
  /** What it is about as it stands now; it is compared with what it was made for. Locks what it reads. */
  bindingOf(tx: Transaction, proposal: ProposalRow): Promise<Binding>;
  /** Does it, in the transaction that confirms it. */
  carryOut(tx: Transaction, proposal: ProposalRow, because: Because): Promise<void>;
};

/** Everything that one person can propose and another confirm, by the name that stands in the proposal. */
export const PROPOSED_ACTIONS: Readonly<Record<string, ProposedAction>> = {
  approve: {
    about: 'let the held file go; its valid rows are sent',
    bindingOf: (tx, { file_id: fileId }) => bindingOfFile(tx, fileId),
    carryOut: (tx, { file_id: fileId }, because) => approveHeld(tx, fileId, because),
  },
  ...RESOLUTION_ACTIONS,
};
