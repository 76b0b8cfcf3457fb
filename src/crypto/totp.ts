import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { rewrapKey, unwrapKey, wrapKey } from './data-key.ts';
import { secretBytes } from './derive-key.ts';
import type { KeyRing } from './key-ring.ts';
import type { MasterKey } from './master-key.ts';

/** A code is valid for a step of half a minute (RFC 6238). */
const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;

/** Returns the code of a step, for a counter of any length (RFC 4226). */
export function codeOf(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export function stepAt(at: Date): number {
  return Math.floor(at.getTime() / STEP_MS);
}

/**
 * Returns the step whose code was typed: the current one, or one beside it, because phones have clocks of their own.
 * @param after the last step whose code was used; a code works once
 */
export function findStep(secret: Uint8Array, code: string, now: Date, after: number): number | undefined {
  const typed = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(typed)) return undefined;
  const current = stepAt(now);
  const isOf = (step: number) => timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(typed));
  return [current, current - 1, current + 1].find((step) => step > after && isOf(step));
}

function ownerOf(person: string): string {
  return `the second factor of "${person}"`;
}

/** Returns a new secret of a person, wrapped for the ledger. */
export function newTotpSecret(master: MasterKey, person: string): Buffer {
  return wrapKey(master, ownerOf(person), randomBytes(32));
}

/** @throws MASTER_KEY_WRONG when another master key wrapped it, SEAL_BROKEN when it was altered or is another person's */
export function openTotpSecret(keys: KeyRing | MasterKey, person: string, wrapped: Buffer): Buffer {
  return secretBytes(unwrapKey(keys, ownerOf(person), wrapped).subarray(0, SECRET_BYTES));
}

/** Wraps the same secret with a new master key. */
export function rewrapTotpSecret(from: KeyRing | MasterKey, to: MasterKey, person: string, wrapped: Buffer): Buffer {
  return rewrapKey(from, to, ownerOf(person), wrapped);
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Writes bytes as apps take them (RFC 4648, without padding). */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Returns eight codes of 80 random bits, each for one log-in without the app: `abcd-efgh-ijkl-mnop`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: 8 }, () => toBase32(randomBytes(10)).toLowerCase().match(/.{4}/g)!.join('-'));
}

/** Returns the stored form of a recovery code, however it is typed. It is random, so a plain hash is enough. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256')
    .update(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
    .digest();
}
