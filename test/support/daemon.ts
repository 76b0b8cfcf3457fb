import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'node:net';
import type { Order } from '../chaos/support/acts.ts';
import { ARMER, buildProgram, type Program } from './build-program.ts';
import type { PipelineWorld } from './pipeline-world.ts';

export type LogLine = Record<string, unknown> & { msg: string };

/** A paydrop command as a process of its own. It can be stopped, woken and killed, and tests can wait for its log. */
export type Daemon = {
  readonly pid: number;
  /** Every line of its log so far. */
  readonly lines: readonly LogLine[];
  /** Fulfilled when it watches its folders, or is dead. */
  readonly ready: Promise<unknown>;
  /** How it ends: its exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /**
   * Returns the first line whose text matches, now or later. Fails when the process ends first.
   * @param from how many lines to skip, such as those of an earlier test
   */
  said(text: RegExp, from?: number): Promise<LogLine>;
  /** Returns the end of its log, for the message of a failure. */
  lastWords(): string;
  isAlive(): boolean;
  /** Returns whether it is frozen in the middle of its work. */
  isFrozen(): Promise<boolean>;
  signal(name: NodeJS.Signals): void;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as its user would. */
  stop(): Promise<void>;
  /** Sends a message to an armed process, and waits until it has taken it or is dead. */
  tell(message: object | number): Promise<void>;
};

export type DaemonOptions = {
  program: Program;
  root: string;
  env?: Record<string, string>;
  /** The command; by default `start`. */
  words?: readonly string[];
  /** Modules of this folder that are loaded into the process before the program; `ARMER` listens to `tell`. */
  preload?: readonly string[];
  /** A file that keeps its log. */
  logFile?: string;
};

/** Starts it, without waiting for anything. */
export function startDaemon(options: DaemonOptions): Daemon {
  const { program, root, env = {}, words = ['start'], preload = [], logFile } = options;
  const imports = preload.flatMap((path) => ['--import', program.moduleOf(path)]);
  const child = spawn(process.execPath, [...imports, program.main, '--dir', root, ...words], {
    stdio: ['ignore', 'ignore', 'pipe', ...(preload.includes(ARMER) ? (['ipc'] as const) : [])],
    env: { ...process.env, PAYDROP_LOG_LEVEL: 'debug', PAYDROP_DASHBOARD: 'off', ...env },
  });
  const { lines, said } = followLog(child, logFile);
  const ended = once(child, 'exit').then(([code, name]) => (code ?? name) as number | NodeJS.Signals | null);
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const endBy = async (name: NodeJS.Signals) => {
    if (isAlive()) child.kill(name);
    await ended;
  };
  return {
    pid: child.pid!,
    lines,
    ready: Promise.race([said(/paydrop is running/), ended]).catch(() => {}),
    ended,
    said,
    lastWords: () => lastWords(lines),
    isAlive,
    isFrozen: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
      return /\) T /.test(stat);
    },
    signal: (name) => void child.kill(name),
    kill: () => endBy('SIGKILL'),
    stop: () => endBy('SIGTERM'),
    tell: async (message) => {
      const taken = Promise.race([once(child, 'message'), ended]);
      // A process that is dying has closed its channel already.
      if (child.connected) child.send(message, () => {});
      await taken;
    },
  };
}

/**
 * Runs the workers of a world in a process of their own, and waits until they work or have died.
 * @param order where the process dies by itself
 */
export async function startWorker({ root, config, env }: PipelineWorld, order?: Order): Promise<Daemon> {
  const program = await buildProgram();
  await writeFile(join(root, 'paydrop.yaml'), JSON.stringify(config), { mode: 0o600 });
  const armed = order && { CHAOS_ORDER: JSON.stringify(order) };
  const daemon = startDaemon({ program, root, env: { ...env, ...armed }, preload: order ? [ARMER] : [] });
  void daemon.ended.then(program.remove);
  await daemon.ready;
  return daemon;
}

/** Reads the log to its end. A server that the process left behind may keep it open after its death. */
function followLog(child: ChildProcess, logFile: string | undefined) {
  const lines: LogLine[] = [];
  const file = logFile === undefined ? undefined : createWriteStream(logFile);
  let isClosed = false;
  let listeners: (() => void)[] = [];
  const tell = () => listeners.forEach((listener) => listener());
  createInterface({ input: child.stderr! })
    .on('line', (text) => {
      file?.write(`${text}\n`);
      lines.push(readLine(text));
      tell();
    })
    .on('close', () => file?.end());
  child.on('close', () => {
    isClosed = true;
    tell();
  });
  const said = (text: RegExp, from = 0): Promise<LogLine> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.slice(from).find((line) => text.test(line.msg));
        if (!found && !isClosed) return;
        listeners = listeners.filter((listener) => listener !== look);
        if (found) resolve(found);
        else reject(new Error(`it ended without saying ${text}:\n${lastWords(lines)}`));
      };
      listeners.push(look);
      look();
    });
  return { lines, said };
}

/** Parses a line of the log. Other output, such as the explanation of an error, becomes a line too. */
function readLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}

function lastWords(lines: readonly LogLine[]): string {
  return lines
    .slice(-20)
    .map((line) => JSON.stringify(line))
    .join('\n');
}

/** Returns a port of the loopback on which no process listens at this moment. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
