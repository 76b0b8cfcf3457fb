import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchMemory } from '../measure/peak-memory.ts';

/** A program that runs until it is stopped. */
export type Daemon = {
  readonly pid: number;
  /** Stops it with SIGTERM. @returns peak memory of its processes together, in MB */
  stop(): Promise<number | null>;
  /** Returns the end of its log, to explain a failure. */
  lastWords(): string;
};

const LAST_WORDS = 4_000;

/** Starts `paydrop start` as an operator runs it. @param paydrop the compiled command */
export function startDaemon(paydrop: string, root: string, nodeFlags: readonly string[] = []): Promise<Daemon> {
  return startProgram([...nodeFlags, paydrop, '--dir', root, 'start'], {
    ready: 'paydrop is running',
    env: { PAYDROP_DASHBOARD: 'off' },
  });
}

/** @param options.ready what the program writes to standard error when it has started */
export async function startProgram(
  words: readonly string[],
  { ready: wanted, env }: { ready: string; env: Readonly<Record<string, string>> },
): Promise<Daemon> {
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const memory = watchMemory(child.pid!);
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(wanted)) resolve();
      said = said.slice(-LAST_WORDS);
    });
    child.on('exit', () => reject(new Error(`the program did not start: ${said}`)));
  });
  await ready.catch((error: unknown) => {
    memory.stop();
    throw error;
  });
  return {
    pid: child.pid!,
    stop: async () => {
      const peakMb = memory.stop();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      return peakMb;
    },
    lastWords: () => said,
  };
}
