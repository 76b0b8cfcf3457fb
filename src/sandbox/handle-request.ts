import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Server } from '../../schemas/operations.ts';
import { reasonOf } from '../kernel/errors.ts';
import type { CallLog } from './calls/note-call.ts';
import type { Script } from './calls/play-script.ts';
import { type Controls, isControlPath, serveControl } from './control/serve-control.ts';
import type { FaultPlanner } from './faults/plan-faults.ts';
import { playSteps } from './faults/play-steps.ts';
import { headOf, isServiceCall, strikeCall, strikeRequest } from './faults/strike-call.ts';
import type { HandlerContext } from './handlers/handler.ts';
import { servePage } from './page/serve-page.ts';
import { htmlReply, type HttpCall, type Reply, sendReply, targetOf } from './reply.ts';
import { serveRequest } from './serve-request.ts';
import { tryToRunSchedules } from './time/run-schedules.ts';

/** What `handleRequest` needs to serve a request. */
export type Serving = {
  readonly context: HandlerContext;
  readonly faults: Pick<FaultPlanner, 'list' | 'plan' | 'take'>;
  /** Undefined when the HTTP control API is off. */
  readonly controls: Controls | undefined;
  readonly maxBodyBytes: number;
  /** Where calls and their answers are noted. */
  readonly calls: CallLog;
  /** Says which calls must come, and answers them; undefined when any may. */
  readonly script: Script | undefined;
  /** Names by which browsers of this machine may open the page, besides its own. */
  readonly names: readonly string[];
  /** Whether browsers of other machines may open the page. */
  readonly isForAll: boolean;
  /** The server that the port stands for; undefined when it is the only port. */
  readonly server: Server | undefined;
};

/** Serves one request, or applies the planned fault. Never throws. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const { context } = serving;
  response.setHeader('Date', context.clock.now().toUTCString());
  try {
    if (await isStruckEarly(request, serving)) return;
    const body = await readBody(request, serving.maxBodyBytes);
    if (!body) {
      sendReply(response, htmlReply(413, 'Maximum request length exceeded.', ''));
      return;
    }
    await answer(readCall(request, body, serving.server), request, response, serving);
  } catch (error) {
    // Usually the client disconnected in the middle of its request, before anything was done for it.
    context.log.warn({ reason: reasonOf(error) }, 'request broken off');
    response.destroy();
  }
}

/** Returns whether a fault struck a call by its head. Nothing of the call's body is known then. */
async function isStruckEarly(request: IncomingMessage, { context, faults, calls, script }: Serving): Promise<boolean> {
  const head = headOf(request);
  if (!head) return false;
  const scripted = script?.takeHead(head);
  if (scripted !== undefined) faults.plan({ kind: scripted });
  const struck = await strikeRequest(request, head, faults, ({ kind }) => {
    calls.noteHead(head, context.clock.now(), kind);
    context.log.info({ fault: kind, operation: head.operation }, 'fault struck');
  });
  return struck !== undefined;
}

async function answer(call: HttpCall, request: IncomingMessage, response: ServerResponse, serving: Serving) {
  const { context, faults, controls } = serving;
  if (isControlPath(call.path)) {
    sendReply(response, await serveControl(call, controls));
    return;
  }
  if (call.path === '/') {
    await tryToRunSchedules(context);
    sendReply(response, await servePage(call, serving));
    return;
  }
  const isCall = isServiceCall(call);
  const scripted = isCall ? serving.script?.take(call) : undefined;
  if (scripted?.fault !== undefined) faults.plan({ kind: scripted.fault });
  let reply: Promise<Reply> | undefined = scripted?.reply && Promise.resolve(scripted.reply);
  // A fault may need the answer to decide whether it strikes. Keeping the reply prevents a second booking.
  const serve = () => (reply ??= serveRequest(call, context, addressOf(request.socket)));
  const struck = await strikeCall(call, context.books, faults, serve);
  if (!struck) {
    const answered = await serve();
    if (isCall) serving.calls.note(call, { at: context.clock.now(), reply: answered });
    sendReply(response, answered);
    return;
  }
  serving.calls.note(call, { at: context.clock.now(), reply: await reply, fault: struck.fault.kind });
  context.log.info({ fault: struck.fault.kind, operation: struck.operation }, 'fault struck');
  await playSteps(request.socket, struck.steps);
}

function addressOf(socket: Socket): string {
  return `${socket instanceof TLSSocket ? 'https' : 'http'}://127.0.0.1:${socket.localPort ?? 80}`;
}

function readCall(request: IncomingMessage, body: Buffer, port: Server | undefined): HttpCall {
  const { path, query, host } = targetOf(request.url ?? '/');
  const headers = host === undefined ? request.headers : { ...request.headers, host };
  const server = serverOf(headers.host ?? '', port);
  const from = request.socket.remoteAddress;
  return { method: request.method ?? 'GET', path, query, headers, body, server, from };
}

/** Returns the server that an address stands for, by the port or the hosts of the service. */
export function serverOf(host: string, port: Server | undefined): Server | undefined {
  if (/^www\.uk\./i.test(host)) return 'UK';
  return port ?? (/^www2?\.iatspayments\.com\b/i.test(host) ? 'NA' : undefined);
}

/**
 * Reads the whole body of a request.
 *
 * Bytes beyond the limit are read and discarded. Otherwise a client still writing would see a broken connection instead
 * of the answer that says why. Reading stops at ten times the limit.
 * @returns undefined when the body is larger than the limit
 * @throws the error that broke the connection
 */
export async function readBody(request: Readable, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (sizeBytes > limitBytes * 10) break;
  }
  return sizeBytes > limitBytes ? undefined : Buffer.concat(chunks, sizeBytes);
}
