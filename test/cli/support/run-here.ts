import { fileURLToPath } from 'node:url';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import type { Terminal } from '../../../src/cli/call/terminal.ts';
import { FEATURES } from '../../../src/features.ts';

export type Ran = { status: number; out: string; err: string };

/** A command line running in this process. */
export type Running = {
  /** Standard output so far. */
  out(): string;
  err(): string;
  /** Sends a SIGINT to the command alone, once it listens. */
  interrupt(): Promise<void>;
  ended: Promise<Ran>;
};

/** Runs a command line in this process, much faster than a child, and captures what it prints. */
export async function runHere(words: readonly string[]): Promise<Ran> {
  return startHere(words).ended;
}

/** What most tests expect of a command. */
export type Expecting = {
  /** Runs a command that ends well and complains of nothing. Returns what it prints. */
  says(...words: string[]): Promise<string>;
  /** Runs a command that is refused with status 1 and prints no data. Returns why. */
  refusal(...words: string[]): Promise<string>;
};

export function expecting(paydrop: (...words: string[]) => Promise<Ran>): Expecting {
  return {
    says: async (...words) => {
      const { out, ...rest } = await paydrop(...words);
      expect(rest).toEqual({ status: 0, err: '' });
      return out;
    },
    refusal: async (...words) => {
      const { err, ...rest } = await paydrop(...words);
      expect(rest).toEqual({ status: 1, out: '' });
      return err;
    },
  };
}

/** Same, for a command that keeps running. It must end before the test does. */
export function startHere(words: readonly string[]): Running {
  const others = process.listeners('SIGINT');
  let said = { out: '', err: '' };
  const running = takeDown((printed) => {
    said = printed;
    return runCommandLine(words, FEATURES);
  });
  const listener = () => process.listeners('SIGINT').find((one) => !others.includes(one));
  return {
    out: () => said.out,
    err: () => said.err,
    interrupt: async () => {
      await expect.poll(listener, { interval: 5, message: `${words.join(' ')} hears no SIGINT` }).toBeDefined();
      listener()?.('SIGINT');
    },
    ended: running.then(({ result: status, out, err }) => ({ status, out, err })),
  };
}

/** Until the test ends, lines to paste name paydrop as in a checkout, not the test runner. */
export function nameAsInCheckout(): void {
  const [, script = ''] = process.argv;
  process.argv[1] = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
  onTestFinished(() => void (process.argv[1] = script));
}

export type Printed = { out: string; err: string };

/**
 * Captures what the console and the streams print during `work`; the log bypasses both. Of two concurrent captures, the
 * later one gets everything until it ends.
 * @param work receives what was printed so far
 */
export async function takeDown<Result>(
  work: (printed: Readonly<Printed>) => Result | Promise<Result>,
): Promise<Printed & { result: Result }> {
  const printed: Printed = { out: '', err: '' };
  const collect = (stream: keyof Printed, end: string) => (text: unknown) => {
    printed[stream] += `${String(text)}${end}`;
    return true;
  };
  const { log, error } = console;
  const { stdout, stderr } = process;
  const [writeOut, writeErr] = [stdout.write, stderr.write];
  console.log = collect('out', '\n');
  console.error = collect('err', '\n');
  stdout.write = collect('out', '');
  stderr.write = collect('err', '');
  try {
    const result = await work(printed);
    return { result, ...printed };
  } finally {
    Object.assign(console, { log, error });
    stdout.write = writeOut;
    stderr.write = writeErr;
  }
}

export type FakeTerminal = Terminal & { readonly input: PassThrough; shown(): string };

/** A terminal in which the test types each answer as soon as its question appears. */
export function fakeTerminal(answers: readonly string[] = [], isTTY = true): FakeTerminal {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  const waiting = [...answers];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const isQuestion = chunk.toString().endsWith(': ');
    if (isQuestion && waiting.length > 0) setImmediate(() => input.write(`${waiting.shift()}\r`));
  });
  return { input, output, shown: () => shown };
}

/** A pipe with these bytes, without a user. */
export function pipedInput(text = ''): FakeTerminal {
  const terminal = fakeTerminal([], false);
  terminal.input.end(text);
  return terminal;
}
