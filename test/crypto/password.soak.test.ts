import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, isPassword } from '../../src/crypto/password.ts';
import { runKeyCommand } from '../../src/crypto/master-key.ts';

const PASSWORD = 'four words nobody guesses';

/** Returns a hash of lower cost, as an old ledger may hold. It takes a hundredth of the time. */
function cheapHash(password: string): string {
  const key = scryptSync(password, Buffer.alloc(16), 32, { N: 1024, r: 8, p: 1 });
  return `scrypt$1024$8$1$AAAAAAAAAAAAAAAAAAAAAA$${key.toString('base64url')}`;
}

describe('hashPassword', () => {
  it('keeps nothing that reads like the password, salts each time, and is known again', async () => {
    const [one, other] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
    expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toContain('four');
    expect(one).not.toBe(other);
    expect(await isPassword(PASSWORD, one)).toBe(true);
  });
});

describe('isPassword', () => {
  it('knows the password, in any Unicode form, and no other', async () => {
    const hash = cheapHash('caf\u00e9 under the bridge');
    expect(await isPassword('cafe\u0301 under the bridge', hash)).toBe(true);
    expect(await isPassword('cafe under the bridge', hash)).toBe(false);
    expect(await isPassword('', hash)).toBe(false);
  });

  it('knows one that was hashed at lower costs', async () => {
    const hash = cheapHash(PASSWORD);
    expect(await isPassword(PASSWORD, hash.slice(0, hash.lastIndexOf('$') + 1))).toBe(false);
    expect(await isPassword(PASSWORD, hash)).toBe(true);
  });

  it('takes its time for nobody, and says no', async () => {
    const begun = process.hrtime.bigint();
    expect(await isPassword(PASSWORD, undefined)).toBe(false);
    expect(Number(process.hrtime.bigint() - begun) / 1e6).toBeGreaterThan(20);
  });

  it.each(['', 'plain', 'md5$1$1$1$aa$bb', 'scrypt$32768$8$3$$'])('takes %j for no hash at all', async (hash) => {
    expect(await isPassword('', hash)).toBe(false);
  });
});

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
    expect(fail).toThrow(MISSING('it exited with status 3'));
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
    expect(() => runKeyCommand(killed)).toThrow(MISSING('it was killed by SIGKILL'));
  });
});
