import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, isPassword } from '../../src/crypto/password.ts';

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
