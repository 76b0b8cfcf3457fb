import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FaultKind, StruckCall } from './fault-kind.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import type { FaultPlanner, StrikingFault } from './plan-faults.ts';
import { playSteps, type Step } from './play-steps.ts';
import { firstReportOf } from '../../../schemas/sandbox/report-v1.ts';
import { WIRE_OPERATIONS, type WireOperation } from '../../../schemas/wire.ts';
import type { Books } from '../books/open-books.ts';
import { type HttpCall, type Reply, targetOf } from '../reply.ts';
import { parameterOf, readEnvelope } from '../soap/read-envelope.ts';
import { holdsResultFile } from './acts/result-files.ts';
import { wireName } from '../../../schemas/wsdl.ts';

/**
 * Applies connection faults ahead of HTTP; a struck connection never gets there.
 * @returns a function that destroys the struck connections that are still open
 */
export function strikeConnections(server: Server, faults: Pick<FaultPlanner, 'take'>): () => void {
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  const waiting = new Set<Socket>();
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const fault = faults.take({ strikes: ['accept', 'first-byte'] });
    if (!fault) {
      for (const each of serve) each.call(server, socket);
      return;
    }
    waiting.add(socket);
    socket.on('error', () => {}).once('close', () => waiting.delete(socket));
    strike(socket, fault);
  });
  return () => {
    for (const socket of waiting) socket.destroy();
  };
}

function strike(socket: Socket, fault: StrikingFault): void {
  const row: FaultKind = FAULT_KINDS[fault.kind];
  if (row.strikes === 'accept') void playSteps(socket, row.act());
  if (row.strikes === 'first-byte') socket.once('data', () => void playSteps(socket, row.act()));
}

/** What the head of a call tells; its operation is undefined when only the body names it. */
export type CallHead = { readonly path: string; readonly operation: WireOperation | undefined };

/** Returns what the head of a request tells; undefined when it is no call of an operation. */
export function headOf({ method = 'GET', url = '/', headers }: IncomingMessage): CallHead | undefined {
  const { path, query } = targetOf(url);
  return isServiceCall({ method, path }) ? { path, operation: operationOfHead(headers, query) } : undefined;
}

/**
 * Strikes a request whose head has been read, if a fault is due.
 * @param note is told of the fault before it strikes
 * @returns the fault; the request then needs nothing more
 */
export async function strikeRequest(
  request: IncomingMessage,
  { operation }: CallHead,
  faults: Pick<FaultPlanner, 'take'>,
  note: (fault: StrikingFault) => void,
): Promise<StrikingFault | undefined> {
  const fault = faults.take({ strikes: ['head', 'half-body'], operation });
  if (!fault) return undefined;
  note(fault);
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

/** Returns the next piece of the body, or undefined when it has ended or the connection was lost. */
function nextPiece(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('readable', done).off('end', done).off('close', done);
      resolve((request.read() as Buffer | null) ?? undefined);
    };
    request.on('readable', done).on('end', done).on('close', done);
  });
}

/** What replaces the answer. */
type Struck = {
  readonly fault: StrikingFault;
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

/** Returns the operation that a request element or action names, with or without the V1 of version 1. */
export function operationOf(name: string): WireOperation | undefined {
  const last = name.replace(/^.*[/#]/, '');
  const wanted = last.replace(/V1$/, '');
  return firstReportOf(last)?.report ?? WIRE_OPERATIONS.find((operation) => wireName(operation) === wanted);
}

/**
 * Returns the operation that a request head names: in its action, else in the address. A SOAP 1.2 client may name it in
 * neither.
 */
export function operationOfHead(headers: IncomingHttpHeaders, query: URLSearchParams): WireOperation | undefined {
  const { soapaction } = headers;
  const header = typeof soapaction === 'string' ? soapaction.trim().replace(/^"(.*)"$/, '$1') : undefined;
  const action = header ?? parameterOf(headers['content-type'] ?? '', 'action');
  return operationOf(action ?? query.get('op') ?? '');
}

/** Returns whether a request calls an operation. Faults never strike descriptions, pages or the control API. */
export function isServiceCall({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && /^\/netgate\/.*\.asmx$/i.test(path);
}
