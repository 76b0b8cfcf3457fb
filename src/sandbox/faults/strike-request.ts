import type { IncomingMessage } from 'node:http';
import type { FaultKind } from './fault-kind.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { isServiceCall } from './is-service-call.ts';
import { operationOfHead } from './operation-of.ts';
import type { FaultPlanner, PlannedFault } from './plan-faults.ts';
import { playSteps } from './play-steps.ts';

/**
 * Strikes a request whose head has been read, if a fault is due.
 * @returns the fault; the request then needs nothing more
 */
export async function strikeRequest(
  request: IncomingMessage,
  faults: Pick<FaultPlanner, 'take'>,
): Promise<PlannedFault | undefined> {
  const { method = 'GET', url = '/', headers } = request;
  const [path = '/', query = ''] = url.split(/\?(.*)/s);
  if (!isServiceCall({ method, path })) return undefined;
  const operation = operationOfHead(headers, new URLSearchParams(query));
  const fault = faults.take({ strikes: ['head', 'half-body'], operation });
  if (!fault) return undefined;
  const row: FaultKind = FAULT_KINDS[fault.kind];
  if (row.strikes === 'half-body') await readHalf(request);
  if (row.strikes === 'head' || row.strikes === 'half-body') await playSteps(request.socket, row.act());
  // Drain the rest of the request; unread data would turn the clean end of an early answer into a reset.
  request.resume();
  return fault;
}

/** Reads half of the announced length; of a body without a length, its first piece. */
async function readHalf(request: IncomingMessage): Promise<void> {
  const halfBytes = Number(request.headers['content-length'] ?? 0) / 2;
  let sizeBytes = 0;
  for (;;) {
    const chunk = (request.read() as Buffer | null) ?? (await nextPiece(request));
    if (!chunk) return;
    sizeBytes += chunk.length;
    if (sizeBytes >= halfBytes) return;
  }
}

/** Returns the next piece of the body, or undefined when it has ended or the connection is gone. */
function nextPiece(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('readable', done).off('end', done).off('close', done);
      resolve((request.read() as Buffer | null) ?? undefined);
    };
    request.on('readable', done).on('end', done).on('close', done);
  });
}
