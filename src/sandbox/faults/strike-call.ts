import type { WireOperation } from '../../../schemas/wire.ts';
import type { Books } from '../books/open-books.ts';
import type { HttpCall, Reply } from '../reply.ts';
import { readEnvelope } from '../soap/read-envelope.ts';
import { holdsResultFile } from './acts/result-files.ts';
import type { FaultKind, StruckCall } from './fault-kind.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { isServiceCall } from './is-service-call.ts';
import { operationOf } from './operation-of.ts';
import type { FaultPlanner, PlannedFault } from './plan-faults.ts';
import type { Step } from './steps.ts';

/** What replaces the answer. */
export type Struck = {
  readonly fault: PlannedFault;
  readonly operation: WireOperation | undefined;
  readonly steps: readonly Step[];
};

/**
 * Strikes a complete call if a fault is due. A fault of the answer lets the call be served first; a fault of the
 * request does not.
 * @returns undefined when no fault is due
 */
export async function strikeCall(
  call: HttpCall,
  books: Pick<Books, 'rows'>,
  faults: Pick<FaultPlanner, 'list' | 'take'>,
  serve: () => Promise<Reply>,
): Promise<Struck | undefined> {
  if (faults.list().length === 0 || !isServiceCall(call)) return undefined;
  const described = describeCall(call);
  const { operation } = described;
  const earlierBatchId = described.isSubmit ? findLastBatch(books, described.account) : undefined;
  // Fetching a result changes nothing, so it can be answered before the fault is chosen.
  const fetched = operation === 'getBatchProcessResultFile' ? await serve() : undefined;
  const fault = faults.take({
    strikes: ['request', 'answer'],
    operation,
    has: (need) =>
      need === 'earlier-batch' ? earlierBatchId !== undefined : fetched !== undefined && holdsResultFile(fetched),
  });
  if (!fault) return undefined;
  const row: FaultKind = FAULT_KINDS[fault.kind];
  const struck: StruckCall = { ...described, earlierBatchId, delayMs: fault.delayMs ?? 0 };
  if (row.strikes === 'request') return { fault, operation, steps: row.act(struck) };
  if (row.strikes === 'answer') return { fault, operation, steps: row.act(fetched ?? (await serve()), struck) };
  return undefined;
}

/** Describes a call, as far as it can be read. */
function describeCall(call: HttpCall) {
  const envelope = readEnvelope(call);
  const { path } = call;
  const unread = { path, version: envelope.version, element: 'Unknown', operation: undefined };
  if ('fault' in envelope) return { ...unread, account: '', isSubmit: false };
  const { version, element, fields } = envelope;
  const operation = operationOf(element);
  const isSubmit = operation?.endsWith('Batch') === true;
  return { path, version, element, operation, account: fields.get('agentCode') ?? '', isSubmit };
}

function findLastBatch(books: Pick<Books, 'rows'>, account: string): string | undefined {
  return books.rows().findLast((row) => row.account === account && row.batchId !== '')?.batchId;
}
