import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FaultKind } from './fault-kind.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import type { FaultPlanner, PlannedFault } from './plan-faults.ts';
import { playSteps } from './play-steps.ts';

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

function strike(socket: Socket, fault: PlannedFault): void {
  const row: FaultKind = FAULT_KINDS[fault.kind];
  if (row.strikes === 'accept') void playSteps(socket, row.act());
  if (row.strikes === 'first-byte') socket.once('data', () => void playSteps(socket, row.act()));
}
