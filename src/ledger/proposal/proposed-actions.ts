import type { Transaction } from '../engine/transaction.ts';
import { bindingOfFile } from './binding.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Binding, ProposalRow } from './propose.ts';
import { approveHeld } from '../file/release-held.ts';
import { RESOLUTION_ACTIONS } from '../doubt/resolution-actions.ts';

/** How a confirmed proposal of this kind is carried out. */
export type ProposedAction = {
  /** Shown in the list of proposals: "send the valid rows of the file". */
  readonly about: string;
  /** Returns the current binding of its subject, for comparison with that of the proposal. Locks what it reads. */
  bindingOf(tx: Transaction, proposal: ProposalRow): Promise<Binding>;
  /** Runs in the transaction that confirms it. */
  carryOut(tx: Transaction, proposal: ProposalRow, because: AuditReason): Promise<void>;
};

/** Everything that one person can propose and another confirm, by the action name in the proposal. */
export const PROPOSED_ACTIONS: Readonly<Record<string, ProposedAction>> = {
  approve: {
    about: 'let the held file go; its valid rows are sent',
    bindingOf: (tx, { file_id: fileId }) => bindingOfFile(tx, fileId),
    carryOut: (tx, { file_id: fileId }, because) => approveHeld(tx, fileId, because),
  },
  ...RESOLUTION_ACTIONS,
};
