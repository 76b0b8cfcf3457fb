import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { ReconciledRow } from '../../rows/rows.ts';
import type { Transaction } from '../engine/transaction.ts';
import { absolveBatch } from './absolve-batch.ts';
import { adoptBatch } from './adopt-batch.ts';
import { bindingOfBatch } from '../proposal/binding.ts';
import { countReports, decideRows } from './decide-rows.ts';
import { mapBatch } from './map-batch.ts';
import type { BatchKey, Because } from '../engine/move.ts';
import type { Binding, ProposalRow } from '../proposal/propose.ts';
import { settleBatch } from '../batch/settle-batch.ts';

/** The subject of a resolution. Its evidence holds what the action needs: `batchId`, `waitMs`. */
export type ResolutionSubject = Pick<ProposalRow, 'file_id' | 'batch_no' | 'evidence'>;

type ResolutionAction = {
  /** Shown in the list of proposals. */
  readonly about: string;
  bindingOf(tx: Transaction, subject: ResolutionSubject): Promise<Binding>;
  /** Runs in the transaction that confirms it. Throws PipelineError MOVE_REFUSED or RESOLUTION_REFUSED. */
  carryOut(tx: Transaction, subject: ResolutionSubject, because: Because): Promise<void>;
};

/** How a batch in doubt can end, by proposal name. One person decides, or one proposes and another confirms. */
export const RESOLUTION_ACTIONS = {
  adopt: {
    about: 'adopt a batch id, under which every row matches; its result is fetched',
    bindingOf: bindBatch,
    carryOut: (tx, subject, because) =>
      adoptBatch(tx, keyOf(subject), String(subject.evidence['batchId']), withEvidence(subject, because)),
  },
  'not-received': {
    about: 'declare the batch as not received; it is sent once more',
    bindingOf: bindBatch,
    carryOut: (tx, subject, because) =>
      absolveBatch(tx, keyOf(subject), waitOf(subject), withEvidence(subject, because)),
  },
  journal: {
    about: 'end the batch with what the reports of the service say of each row',
    bindingOf: bindBatch,
    carryOut: settleByReports,
  },
  'close-in-doubt': {
    about: 'close the batch in doubt; rows that no report shows are UNKNOWN for good',
    bindingOf: bindBatch,
    carryOut: closeInDoubt,
  },
} as const satisfies Record<string, ResolutionAction>;

export type ResolutionName = keyof typeof RESOLUTION_ACTIONS;

/** Binds a proposal to the number of reports too: one that is read meanwhile may change what the resolution means. */
async function bindBatch(tx: Transaction, subject: ResolutionSubject): Promise<Binding> {
  const binding = await bindingOfBatch(tx, keyOf(subject));
  return { ...binding, reports: await countReports(tx, keyOf(subject)) };
}

async function settleByReports(tx: Transaction, subject: ResolutionSubject, because: Because): Promise<void> {
  const key = keyOf(subject);
  const { certain, uncertain } = await decideRows(tx, key, waitOf(subject));
  if (uncertain.length > 0) {
    const action = `settle batch ${key.batchNo} of file "${key.fileId}"`;
    throw new PipelineError(
      'RESOLUTION_REFUSED',
      action,
      `the reports leave ${counted(uncertain.length, 'row')} in doubt`,
    );
  }
  await settleBatch(tx, key, certain, 'settled', withEvidence(subject, because));
}

async function closeInDoubt(tx: Transaction, subject: ResolutionSubject, because: Because): Promise<void> {
  const key = keyOf(subject);
  const { state } = await bindingOfBatch(tx, key);
  const { certain, uncertain } = await decideRows(tx, key, waitOf(subject));
  const rows = [...certain, ...uncertain.map(inDoubt)];
  const told = withEvidence(subject, because);
  if (state === 'exception') await mapBatch(tx, key, rows, told);
  else await settleBatch(tx, key, rows, uncertain.length === 0 ? 'settled' : 'in_doubt', told);
}

function inDoubt(line: number): ReconciledRow {
  return { line, outcome: 'unknown', code: null, message: CLOSED_IN_DOUBT, authorization: '' };
}

const CLOSED_IN_DOUBT = 'closed in doubt: the service may or may not have charged it';

function keyOf({ file_id: fileId, batch_no: batchNo }: ResolutionSubject): BatchKey {
  return { fileId, batchNo: batchNo ?? 0 };
}

function waitOf({ evidence }: ResolutionSubject): number {
  const waitMs = evidence['waitMs'];
  if (typeof waitMs === 'number' && waitMs >= 0) return waitMs;
  throw new PipelineError('INTERNAL', 'resolve a batch in doubt', 'nothing says how long it must have waited');
}

/** Adds the evidence of the proposal to the audit link of the move. */
function withEvidence({ evidence }: ResolutionSubject, because: Because): Because {
  return { ...because, evidence: { ...evidence, ...because.evidence } };
}
