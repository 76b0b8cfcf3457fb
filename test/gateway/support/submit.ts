import { vi } from 'vitest';
import type { SubmitAnswer } from '../../../src/gateway/answers.ts';
import { createGateway, type GatewaySettings } from '../../../src/gateway/create-gateway.ts';
import type { NetworkParts } from '../../../src/gateway/transport/open-connection.ts';
import { BODY, settingsFor } from './call.ts';
import { httpAnswer, type ScriptedServer, startScripted } from './scripted-server.ts';
import { ACCEPTED, answerOf } from './soap-answers.ts';

const opened: ScriptedServer[] = [];

export type SubmitOptions = {
  settings?: Partial<GatewaySettings>;
  network?: NetworkParts;
  body?: Uint8Array;
  beforeFirstByte?: (about: { url: string; requestBytes: number }) => Promise<boolean>;
};

export function submit(url: string, options: SubmitOptions = {}): Promise<SubmitAnswer> {
  return createGateway(settingsFor(url, options.settings), options.network).submitBatch({
    operation: 'processACHEFTChargeBatch',
    body: options.body ?? BODY,
    beforeFirstByte: options.beforeFirstByte ?? (async () => true),
  });
}

/** Starts a scripted server that `closeServers` closes. */
export async function script(how: Parameters<typeof startScripted>[0]): Promise<ScriptedServer> {
  const server = await startScripted(how);
  opened.push(server);
  return server;
}

export async function closeServers(): Promise<void> {
  await Promise.all(opened.splice(0).map((server) => server.close()));
}

/** Starts a server that would accept any batch. Every proxy variable names it, and nothing may ever reach it. */
export async function startTrap(): Promise<ScriptedServer> {
  const trap = await startScripted({ onRequest: (socket) => socket.end(accepted()) });
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
    vi.stubEnv(name, trap.url);
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  return trap;
}

export function accepted(): Buffer {
  return httpAnswer(200, answerOf('ProcessACHEFTChargeBatch', ACCEPTED));
}
