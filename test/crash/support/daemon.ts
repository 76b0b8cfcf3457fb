import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Program } from '../../support/build-program.ts';

export type LogLine = Record<string, unknown> & { msg: string };

/** A paydrop command as a process of its own. It can be stopped, woken and killed, and tests can wait for its log. */
export type Daemon = {
  readonly pid: number;
  /** Every line of its log so far. */
  readonly lines: readonly LogLine[];
  /**
   * Returns the first line whose text matches, now or later. Fails when the process ends first.
   * @param from how many lines to skip, such as those of an earlier test
   */
  said(text: RegExp, from?: number): Promise<LogLine>;
  signal(name: NodeJS.Signals): void;
  /** How it ends: its exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
};

export type DaemonOptions = {
  program: Program;
  root: string;
  env?: Record<string, string>;
  /** The command; by default `start`. */
  words?: readonly string[];
  /** Modules of this folder that are loaded into the process before the program. */
  preload?: readonly string[];
};

/** Starts it, without waiting for anything. */
export function startDaemon({ program, root, env = {}, words = ['start'], preload = [] }: DaemonOptions): Daemon {
  const imports = preload.flatMap((path) => ['--import', program.moduleOf(path)]);
  const child = spawn(process.execPath, [...imports, program.main, '--dir', root, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PAYDROP_LOG_LEVEL: 'debug', PAYDROP_DASHBOARD: 'off', ...env },
  });
  const lines: LogLine[] = [];
  let listeners: (() => void)[] = [];
  const tell = () => listeners.forEach((listener) => listener());
  createInterface({ input: child.stderr }).on('line', (text) => {
    lines.push(readLine(text));
    tell();
  });
  const ended = waitForEnd(child);
  void ended.then(tell);
  return {
    pid: child.pid!,
    lines,
    said: (text, from = 0) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.slice(from).find((line) => text.test(line.msg));
          const isGone = child.exitCode !== null || child.signalCode !== null;
          if (!found && !isGone) return;
          listeners = listeners.filter((listener) => listener !== look);
          if (found) resolve(found);
          else reject(new Error(`it ended without saying ${text}:\n${lastWords(lines)}`));
        };
        listeners.push(look);
        look();
      }),
    signal: (name) => void child.kill(name),
    ended,
  };
}

/** Parses a line of the log. Other output, such as the explanation of an error, becomes a line too. */
function readLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}

/** Returns the last lines, for the message of a failure. */
function lastWords(lines: readonly LogLine[]): string {
  return lines
    .slice(-20)
    .map((line) => JSON.stringify(line))
    .join('\n');
}

async function waitForEnd(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? signal;
}
