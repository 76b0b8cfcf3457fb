import { describe, expect, it } from 'vitest';
import { runSecretCommand, SECRET_COMMAND_MS } from '../../src/config/config-secret.ts';

const ENV = { GREETING: 'hello' };
const node = (script: string) => [process.execPath, '-e', script];

describe('runSecretCommand', () => {
  it('gives what the command prints, with the environment it was given', () => {
    expect(runSecretCommand(node('process.stdout.write(process.env.GREETING)'), ENV)).toEqual({ value: 'hello' });
  });

  it.each([
    ['fails', node("console.error('the-secret'); process.exit(3)"), 120_000, 'it exited with status 3'],
    ['is not there', ['/nowhere/program'], 120_000, 'it cannot be run (ENOENT)'],
    ['takes too long', node('setInterval(() => {}, 1000)'), 500, 'it did not end within 500 ms'],
  ])('says when it %s, and nothing of what it said itself', (_what, words, limitMs, fault) => {
    expect(runSecretCommand(words, ENV, limitMs)).toEqual({ fault });
    expect(SECRET_COMMAND_MS).toBeGreaterThan(500);
  });
});
