import { createHash, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { promisify } from 'node:util';
import { PipelineError } from '../../kernel/errors.ts';

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

/** A throw-away CA's certificate of a server. All PEM. */
export type ServerCertificate = {
  /** For clients to trust. */
  readonly ca: string;
  /** For the server: its certificate and that of the CA. */
  readonly cert: string;
  readonly key: string;
};

/** This machine, and the hosts of the service, for clients whose hosts file or proxy leads them here. */
export const SANDBOX_NAMES = [
  'localhost',
  '127.0.0.1',
  '::1',
  'www.iatspayments.com',
  'www2.iatspayments.com',
  'www.uk.iatspayments.com',
] as const;

/**
 * Makes a certificate for these names, signed by a CA of its own. The key of the CA is forgotten at once, so a client
 * that trusts the CA trusts this certificate and no other. Valid for a year. RSA, because old Java and .NET know no
 * other.
 * @param names host names or IP addresses
 * @throws USAGE when one of the names is neither
 */
export async function makeCertificate(now: Date, names: readonly string[]): Promise<ServerCertificate> {
  const subjects = [...new Set(names)].map(subjectOf);
  const [ca, server] = await Promise.all([newKeys(), newKeys()]);
  const issuer = nameOf(`paydrop sandbox CA ${randomBytes(4).toString('hex')}`);
  const year = der.sequence(der.time(new Date(now.getTime() - DAY_MS)), der.time(new Date(now.getTime() + YEAR_MS)));
  const seal = (subject: Buffer, owner: KeyObject, extensions: readonly Buffer[]) => {
    const content = der.sequence(
      der.around(0, der.integer(Buffer.from([2]))),
      der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      SHA256_WITH_RSA,
      issuer,
      year,
      subject,
      spkiOf(owner),
      der.around(3, der.sequence(...extensions)),
    );
    const signature = sign('sha256', content, ca.privateKey);
    return toPem(der.sequence(content, SHA256_WITH_RSA, der.bits(signature)));
  };
  const caCertificate = seal(issuer, ca.publicKey, [
    extension(OID.basicConstraints, der.sequence(der.true), 'critical'),
    extension(OID.keyUsage, der.bits(Buffer.from([0b0000_0110]), 1), 'critical'),
    extension(OID.subjectKey, der.octets(keyIdOf(ca.publicKey))),
  ]);
  const certificate = seal(nameOf('paydrop sandbox'), server.publicKey, [
    extension(OID.basicConstraints, der.sequence(), 'critical'),
    extension(OID.keyUsage, der.bits(Buffer.from([0b1010_0000]), 5), 'critical'),
    extension(OID.extendedKeyUsage, der.sequence(der.oid(OID.serverAuth))),
    extension(OID.subjectKey, der.octets(keyIdOf(server.publicKey))),
    extension(OID.authorityKey, der.sequence(der.instead(0, keyIdOf(ca.publicKey)))),
    extension(OID.alternativeNames, der.sequence(...subjects)),
  ]);
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { ca: caCertificate, cert: certificate + caCertificate, key: String(key) };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;

const OID = {
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  subjectKey: '2.5.29.14',
  authorityKey: '2.5.29.35',
  alternativeNames: '2.5.29.17',
};

const SHA256_WITH_RSA = der.sequence(der.oid('1.2.840.113549.1.1.11'), der.null);

function newKeys(): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  return promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function keyIdOf(key: KeyObject): Buffer {
  return createHash('sha256').update(spkiOf(key)).digest().subarray(0, 20);
}

function nameOf(common: string): Buffer {
  return der.sequence(der.set(der.sequence(der.oid(OID.commonName), der.text(common))));
}

function extension(oid: string, value: Buffer, critical?: 'critical'): Buffer {
  return der.sequence(der.oid(oid), ...(critical ? [der.true] : []), der.octets(value));
}

function subjectOf(name: string): Buffer {
  const address = addressBytes(name);
  if (address) return der.instead(7, address);
  const host = domainToASCII(name.replace(/^\*\./, ''));
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(host)) {
    const next = 'Write host names or IP addresses, separated by commas.';
    throw new PipelineError('USAGE', `make a certificate for "${name}"`, 'it is no host name', { next });
  }
  return der.instead(2, Buffer.from(name.startsWith('*.') ? `*.${host}` : host));
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

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
