import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { buildProgram } from '../../support/build-program.ts';
import type { QueueBackend } from '../../../src/queue/open-queue.ts';

export type Script = {
  stdin: Writable;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the status or signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
};

/** Starts a script of this folder as its own process and waits until it has printed the words. */
export async function startScript(name: string, backend: QueueBackend, words: string): Promise<Script> {
  const { fileOf } = await buildProgram();
  const child = spawn(process.execPath, [fileOf(`test/queue/support/${name}`), JSON.stringify(backend)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([status, signal]) => (status ?? signal) as number | NodeJS.Signals);
  await Promise.race([hear(child, words), ended.then((end) => Promise.reject(new Error(`${name} ended with ${end}`)))]);
  return { stdin: child.stdin, kill: (signal) => void child.kill(signal), ended };
}

async function hear(child: ChildProcess, words: string): Promise<void> {
  let heard = '';
  while (!heard.includes(words) && child.stdout) heard += String((await once(child.stdout, 'data'))[0]);
}
