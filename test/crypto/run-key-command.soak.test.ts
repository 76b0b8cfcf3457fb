import { describe, expect, it } from 'vitest';
import { runKeyCommand } from '../../src/crypto/master-key.ts';

const commandOf = (...words: string[]) => ({ kind: 'command', words, env: { GREETING: 'hello' } }) as const;
const node = (script: string) => commandOf(process.execPath, '-e', script);
const MISSING = (words: string) =>
  expect.objectContaining({ code: 'MASTER_KEY_MISSING', message: expect.stringContaining(words) });

describe('runKeyCommand', () => {
  it('gives what the command prints, with the environment it was given', () => {
    expect(runKeyCommand(node('process.stdout.write(process.env.GREETING)'))).toBe('hello');
  });

  it('runs no shell', () => {
    expect(runKeyCommand(commandOf(process.execPath, '-p', 'process.argv[1]', '$(id);`id`'))).toBe('$(id);`id`\n');
  });

  it('does not repeat what the command says on its standard error, nor its words', () => {
    const fail = () => runKeyCommand(node("console.error('the-secret'); process.exit(3)"));
    expect(fail).toThrow(MISSING('it ended with status 3'));
    expect(fail).not.toThrow('the-secret');
  });

  it('says when there is no such program', () => {
    expect(() => runKeyCommand(commandOf('/nowhere/program'))).toThrow(MISSING('it cannot be run (ENOENT)'));
  });

  it('does not wait for ever', () => {
    expect(() => runKeyCommand(node('setInterval(() => {}, 1000)'), 300)).toThrow(MISSING('within 300 ms'));
  });

  it('says when the command was killed, and does not take its output', () => {
    const killed = node("process.stdout.write('half', () => process.kill(process.pid, 'SIGKILL'))");
    expect(() => runKeyCommand(killed)).toThrow(MISSING('it was ended by SIGKILL'));
  });
});
