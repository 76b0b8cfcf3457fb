import { createHash, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { promisify } from 'node:util';
import { PipelineError } from '../../kernel/errors.ts';
import { addressBytes, der } from './write-der.ts';

/** A throw-away CA's certificate of a server. All PEM. */
export type ServerCertificate = {
  /** For clients to trust. */
  readonly ca: string;
  /** For the server: its certificate and that of the CA. */
  readonly cert: string;
  readonly key: string;
};

/** This machine, and the hosts of the service, for clients whose hosts file or proxy leads them here. */
export const OWN_NAMES = [
  'localhost',
  '127.0.0.1',
  '::1',
  'www.iatspayments.com',
  'www2.iatspayments.com',
  'www.uk.iatspayments.com',
] as const;

/**
 * Makes a certificate for `OWN_NAMES` and more names, signed by a CA of its own. The key of the CA is forgotten at
 * once, so a client that trusts the CA trusts this certificate and no other. Valid for a year. RSA, because old Java
 * and .NET know no other.
 * @param names host names or IP addresses
 * @throws USAGE when one of the names is neither
 */
export async function makeCertificate(now: Date, names: readonly string[] = []): Promise<ServerCertificate> {
  const subjects = [...new Set([...OWN_NAMES, ...names])].map(subjectOf);
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
