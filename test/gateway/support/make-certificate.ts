import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * Makes a self-signed certificate and its key for each test run, so that the tree holds no private key. It has only
 * what TLS checks: names, validity and the public key (RFC 5280).
 * @param hosts DNS names and IPv4 addresses it is valid for
 */
export function makeCertificate(hosts: readonly string[]): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const name = sequence(der(0x31, sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from('paydrop test')))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(objectId(SUBJECT_ALT_NAME), der(0x04, sequence(...hosts.map(hostName)))))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(body, algorithm, signature)),
  };
}

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';

function hostName(host: string): Buffer {
  const isAddress = /^[\d.]+$/.test(host);
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

/** Encodes one element: tag, length, content. Only lengths below 64 KB occur here. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
