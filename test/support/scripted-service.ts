import type { Socket } from 'node:net';
import { httpAnswer, startScripted } from '../gateway/support/scripted-server.ts';
import { answerOf, batchResult, success, WAIT } from '../gateway/support/soap-answers.ts';

/** What the service does once a whole request has arrived. */
export type Play = (socket: Socket, request: string) => void;

/** A scripted payment service, with one play for each agent code, so that accounts do not disturb each other. */
export type ScriptedService = {
  readonly url: string;
  /** Sets a play from now on. Without one, every batch is taken, each under its own batch id. */
  play(agentCode: string, play: Play): void;
  /** Called when the very first byte of a request arrives, before any of it is read. */
  onFirstByte(look: (agentCode: string) => void): void;
  /** Counts the whole requests of an agent code, over all connections. */
  posts(agentCode: string): number;
  /** Counts the connections of all clients. */
  connections(): number;
  close(): Promise<void>;
};

export async function startScriptedService(): Promise<ScriptedService> {
  const plays = new Map<string, Play>();
  let look: (agentCode: string) => void = () => {};
  const server = await startScripted({
    onConnect: (socket) => socket.once('data', (chunk: Buffer) => look(agentCodeOf(chunk.toString('latin1')))),
    onRequest: (socket, request) => (plays.get(agentCodeOf(request)) ?? take)(socket, request),
  });
  return {
    url: server.url,
    play: (agentCode, play) => void plays.set(agentCode, play),
    onFirstByte: (next) => {
      look = next;
    },
    posts: (agentCode) => server.requests.filter((request) => agentCodeOf(request) === agentCode).length,
    connections: () => server.connections.length,
    close: () => server.close(),
  };
}

let batches = 0;

/** Takes the batch under an id that was never given before. */
export const take: Play = (socket, request) => {
  batches += 1;
  takeAs(String(5_000_000 + batches))(socket, request);
};

export function takeAs(batchId: string): Play {
  return (socket, request) => socket.end(takenAnswer(request, batchId));
}

/** Returns the whole HTTP answer to a batch that was taken. */
export function takenAnswer(request: string, batchId: string): Buffer {
  return sayAnswer(request, success(batchResult(WAIT, `<BATCHID>${batchId}</BATCHID>`)));
}

/** Answers with this payload, in the envelope of the operation that was called. */
export function say(payload: string): Play {
  return (socket, request) => socket.end(sayAnswer(request, payload));
}

function sayAnswer(request: string, payload: string): Buffer {
  return httpAnswer(200, answerOf(operationOf(request), payload));
}

function operationOf(request: string): string {
  const [, operation = 'Unknown'] = /<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)/.exec(request) ?? [];
  return operation;
}

function agentCodeOf(request: string): string {
  const [, agentCode = ''] = /<(?:\w+:)?agentCode>([^<]*)</.exec(request) ?? [];
  return agentCode;
}
