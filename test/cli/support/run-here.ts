import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { takeDown } from './take-down.ts';

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
    return runCommandLine(words);
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
  process.argv[1] = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
  onTestFinished(() => void (process.argv[1] = script));
}
