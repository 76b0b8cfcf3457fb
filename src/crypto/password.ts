import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Minimum costs that OWASP gives for scrypt with 32 MB of memory. Each hash stores its own, so they may grow later. */
const COSTS = { N: 32_768, r: 8, p: 3 };

const KEY_BYTES = 32;

/** Minimum password length: 12 by PCI DSS 8.3.6. NIST SP 800-63B asks for 15 where the password is the only factor. */
export const SHORTEST_PASSWORD = 12;

/** Returns what is stored for a password: `scrypt$N$r$p$salt$key`. It takes some 100 ms and 32 MB on purpose. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COSTS);
  return ['scrypt', COSTS.N, COSTS.r, COSTS.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Returns whether the password matches the hash. Without a hash (unknown user) it returns false after the same time, so
 * that timing does not reveal which names exist.
 */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [kind, N, r, p, salt, key] = (hash ?? NOBODY).split('$');
  if (kind !== 'scrypt' || !salt || !key) return false;
  const expected = Buffer.from(key, 'base64url');
  const costs = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await derive(password, Buffer.from(salt, 'base64url'), costs);
  return found.length === expected.length && timingSafeEqual(found, expected) && hash !== undefined;
}

const NOBODY = `scrypt$${COSTS.N}$${COSTS.r}$${COSTS.p}$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`;

function derive(password: string, salt: Buffer, costs: typeof COSTS): Promise<Buffer> {
  const options = { ...costs, maxmem: 256 * costs.N * costs.r };
  return new Promise((resolve, reject) => {
    // The same word in another Unicode form is the same password.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
