import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One action on a connection. A list of them replaces a plain answer. */
export type Step =
  | { readonly do: 'write'; readonly bytes: string | Buffer }
  /** Writes one byte at a time. */
  | { readonly do: 'drip'; readonly bytes: Buffer; readonly everyMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** Closes cleanly after everything that was written (FIN). */
  | { readonly do: 'finish' }
  /** Breaks the connection (RST). */
  | { readonly do: 'reset' }
  /** Writes nothing more and leaves the connection open. */
  | { readonly do: 'hang' };

/** Plays the steps on a connection, in order. Ends early, without an error, when the other side has left. */
export async function playSteps(socket: Socket, steps: readonly Step[]): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  socket.once('close', leave);
  // Tests may make the other side reset; without a listener, that error would end the process.
  socket.on('error', leave);
  try {
    for (const step of steps) await playStep(socket, step, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted && !socket.destroyed) throw error;
  } finally {
    socket.off('close', leave);
  }
}

async function playStep(socket: Socket, step: Step, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  switch (step.do) {
    case 'write':
      // Waiting for `drain` keeps the 64 pieces of a huge answer from being in memory all at once.
      if (!socket.write(step.bytes)) await once(socket, 'drain', { signal });
      return;
    case 'drip':
      for (const byte of step.bytes) {
        await sleep(step.everyMs, undefined, { signal });
        socket.write(Buffer.of(byte));
      }
      return;
    case 'wait':
      await sleep(step.ms, undefined, { signal });
      return;
    case 'finish':
      socket.end();
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'hang':
      return;
  }
}
