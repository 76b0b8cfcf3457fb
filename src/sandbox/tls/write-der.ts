import { isIPv4, isIPv6 } from 'node:net';

/** The few pieces of DER, the notation of certificates, that a certificate needs. Each returns finished bytes. */
export const der = {
  sequence: (...parts: readonly Buffer[]) => tagged(0x30, ...parts),
  set: (...parts: readonly Buffer[]) => tagged(0x31, ...parts),
  /** A non-negative whole number, as big-endian bytes. */
  integer: (bytes: Buffer) => tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.from([0, ...bytes]) : bytes),
  true: Buffer.from([0x01, 0x01, 0xff]),
  null: Buffer.from([0x05, 0x00]),
  text: (text: string) => tagged(0x0c, Buffer.from(text)),
  octets: (...parts: readonly Buffer[]) => tagged(0x04, ...parts),
  /** @param unused how many of the last bits do not count */
  bits: (bytes: Buffer, unused = 0) => tagged(0x03, Buffer.from([unused]), bytes),
  /** @param dotted such as `2.5.29.17` */
  oid: (dotted: string) => {
    const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
    return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(inSevenBits)]));
  },
  /** Whole seconds. Years from 2050 on have a form of their own. */
  time: (at: Date) => {
    const digits = `${at.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
    return at.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
  },
  /** An element whose meaning its place gives: `[number]` around others, or instead of their tag. */
  around: (number: number, ...parts: readonly Buffer[]) => tagged(0xa0 + number, ...parts),
  instead: (number: number, bytes: Buffer) => tagged(0x80 + number, bytes),
};

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 + size.length, ...size]), content]);
}

function inSevenBits(number: number): number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** Returns the bytes of an IP address, or undefined when the text is none. */
export function addressBytes(text: string): Buffer | undefined {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part = '') => part.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail)];
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...gap, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
