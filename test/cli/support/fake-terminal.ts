import { PassThrough } from 'node:stream';
import type { Terminal } from '../../../src/cli/call/terminal.ts';

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
