import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchMemory } from '../measure/peak-memory.ts';

/** `paydrop start` as an operator runs it. */
export type Daemon = {
  readonly pid: number;
  /** Stops it with SIGTERM. @returns peak memory of its processes together, in MB */
  stop(): Promise<number | null>;
  /** Returns the end of its log, to explain a failure. */
  lastWords(): string;
};

const LAST_WORDS = 4_000;

/** @param paydrop the compiled command */
export async function startDaemon(paydrop: string, root: string, nodeFlags: readonly string[] = []): Promise<Daemon> {
  const child = spawn(process.execPath, [...nodeFlags, paydrop, '--dir', root, 'start'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PAYDROP_DASHBOARD: 'off' },
  });
  const memory = watchMemory(child.pid!);
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('paydrop is running')) resolve();
      said = said.slice(-LAST_WORDS);
    });
    child.on('exit', () => reject(new Error(`paydrop did not start: ${said}`)));
  });
  await ready.catch((error: unknown) => {
    memory.stop();
    throw error;
  });
  return {
    pid: child.pid!,
    stop: async () => {
      const peakMb = memory.stop();
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      return peakMb;
    },
    lastWords: () => said,
  };
}
