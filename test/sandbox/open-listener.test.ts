import { type AddressInfo, connect, createServer as createPlainServer, type Server } from 'node:net';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { get, request as secureRequest } from 'node:https';
import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { systemCode } from '../../src/kernel/errors.ts';
import { type Listener, openListener } from '../../src/sandbox/open-listener.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { addressBytes, der, makeCertificate } from '../../src/sandbox/tls/make-certificate.ts';
import { phpIsInstalled, phpVerdict } from '../foreign/support/call-with-php.ts';
import { serviceVerdict } from '../support/service-verdict.ts';
import { BANK_NUMBER, callSandbox, valueOf } from './support/make-context.ts';
import { LOGIN, PATH, soapRequest } from './support/soap-request.ts';
import { useSandboxes } from './support/sandbox-world.ts';

const world = useSandboxes();

const opened: Listener[] = [];

afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close();
});

describe('openListener', () => {
  it.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
  ])('tells the address at %s', async (host, pattern) => {
    const { url, port } = await open(0, host);
    expect(url).toMatch(pattern);
    expect(url).toContain(`:${port}`);
  });

  it('is refused by the system while it is shut, and opens at the same port', async () => {
    const listener = await open();
    expect(await knock(listener.port)).toBe('open');
    listener.shut(undefined);
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
    await listener.open();
    expect(await knock(listener.port)).toBe('open');
    await listener.open();
    expect(await knock(listener.port)).toBe('open');
  });

  it('opens by itself after a while', async () => {
    const { listener, server } = await openWithServer();
    listener.shut(30);
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
    await once(server, 'listening');
    expect(await knock(listener.port)).toBe('open');
  });

  it('stays shut when it is shut again in the meantime', async () => {
    const listener = await open();
    listener.shut(undefined);
    const opening = listener.open();
    listener.shut(undefined);
    await opening;
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
  });

  it('waits while another program has its port for a moment', async () => {
    const listener = await open();
    listener.shut(undefined);
    const guest = await occupy(listener.port);
    const opening = listener.open();
    guest.close();
    await opening;
    expect(await knock(listener.port)).toBe('open');
  });

  it('closes for good, also while it is shut', async () => {
    const listener = await open();
    listener.shut(20);
    await listener.close();
    await listener.close();
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
  });

  it('says which address cannot be listened on', async () => {
    const guest = await occupy(0);
    const { port } = guest.address() as AddressInfo;
    const failing = openListener(createServer(), { port, host: '127.0.0.1' }, silentLog());
    await expect(failing).rejects.toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    guest.close();
  });
});

async function open(port = 0, host = '127.0.0.1'): Promise<Listener> {
  return (await openWithServer(port, host)).listener;
}

async function openWithServer(port = 0, host = '127.0.0.1') {
  const server = createServer((_request, response) => response.end());
  const listener = await openListener(server, { port, host }, silentLog());
  opened.push(listener);
  return { listener, server };
}

async function occupy(port: number): Promise<Server> {
  const server = createPlainServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Returns `open`, or the error code of the system. */
function knock(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve('open');
    });
    socket.once('error', (error) => resolve(systemCode(error)));
  });
}

const REPORTS_PATH = '/NetGate/ReportLinkv2.asmx';
const CARD = { creditCardNum: '4222222222222220', creditCardExpiry: '12/35', total: '5.00', invoiceNum: 'I-1' };

describe('a sandbox with a port for the UK', () => {
  const start = () => world.start({ port: 0, portUk: 0, now: '2017-06-30T23:30:00Z' });
  const ach = { accountNum: BANK_NUMBER, accountType: 'CHECKING', total: '5.00' };

  it('makes one account both: no bank payments there, and the hours of London', async () => {
    const { url, urlUk = '' } = await start();
    expect(urlUk).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(urlUk).not.toBe(url);
    expect(await world.start()).toMatchObject({ ca: undefined, urlUk: undefined });
    expect(await callSandbox({ url }, 'ProcessACHEFT', ach)).toContain('OK: 555555:');
    expect(await callSandbox({ url: urlUk }, 'ProcessACHEFT', ach)).toContain('Service cannot be used on this server.');
    await callSandbox({ url: urlUk }, 'ProcessCreditCard', CARD);
    const fileAt = async (base: string, day: string) => {
      const date = { date: `${day}T12:00:00Z` };
      const call = [{ url: base }, 'GetCreditCardApprovedSpecificDateCSV', date, { path: REPORTS_PATH }] as const;
      return Buffer.from(valueOf(await callSandbox(...call), 'FILE'), 'base64').toString();
    };
    expect(await fileAt(url, '2017-06-30')).toContain('I-1,06/30/2017 16:30:0');
    expect(await fileAt(urlUk, '2017-07-01')).toContain('I-1,01/07/2017 00:30:0');
    expect(await fileAt(urlUk, '2017-06-30')).not.toContain('I-1');
  });

  it('is shut and closed as a whole', async () => {
    const { url, urlUk = '', faults, close } = await start();
    faults.plan({ kind: 'connection-refused', times: 'always' });
    for (const each of [url, urlUk])
      await expect(fetch(each)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await faults.clear();
    for (const each of [url, urlUk]) expect((await fetch(each)).status).toBe(200);
    await close();
    for (const each of [url, urlUk]) await expect(fetch(each)).rejects.toThrow();
  });

  it('opens neither port when it cannot have both', async () => {
    const guest = await occupy(0);
    const { port: portUk } = guest.address() as AddressInfo;
    const free = await freePort();
    await expect(startSandbox({ port: free, portUk })).rejects.toThrow(`"127.0.0.1:${portUk}"`);
    expect(await knock(free)).toBe('ECONNREFUSED');
    guest.close();
  });
});

async function freePort(): Promise<number> {
  const server = await occupy(0);
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => void server.close(closed));
  return port;
}

/** Calls over TLS, and returns the answer or why there is none. */
function callSecurely({ port, ca }: Pick<Sandbox, 'port' | 'ca'>, servername: string, trusted = ca): Promise<string> {
  const { headers, body } = soapRequest('ProcessCreditCard', { ...LOGIN, ...CARD });
  return new Promise((resolve) => {
    const options = {
      port,
      host: '127.0.0.1',
      path: PATH,
      method: 'POST',
      headers,
      servername,
      ca: trusted,
      agent: false,
    };
    const call = secureRequest(options, (response) => void text(response).then(resolve));
    call.once('error', (error) => resolve(systemCode(error) ?? error.message));
    call.end(body);
  });
}

describe('a sandbox with TLS', () => {
  it('is trusted with its CA, under every name of the service and the names given', async () => {
    const sandbox = await world.start({ tls: { names: ['pay.test', '*.pay.test', '10.0.0.7', 'fe80::7'] } });
    expect(sandbox.url).toBe(`https://127.0.0.1:${sandbox.port}`);
    const hosts = ['localhost', 'www.iatspayments.com', 'www2.iatspayments.com', 'www.uk.iatspayments.com'];
    for (const name of [...hosts, 'pay.test', 'a.pay.test']) {
      expect(await callSecurely(sandbox, name)).toContain('OK: 678594:');
    }
    expect(await callSecurely(sandbox, 'www.example.com')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await callSecurely(sandbox, 'localhost', (await makeCertificate(new Date(), [])).ca)).toMatch(/^[A-Z_]+$/);
    const description = await new Promise<string>((resolve) => {
      get(
        `${sandbox.url}${PATH}?WSDL`,
        { ca: sandbox.ca, agent: false },
        (response) => void text(response).then(resolve),
      );
    });
    expect(description).toContain(`location="${sandbox.url}${PATH}"`);
  });

  it('serves both ports, fails on demand, and ends without waiting for a handshake', async () => {
    const sandbox = await world.start({ tls: {}, portUk: 0 });
    expect(sandbox.urlUk).toMatch(/^https:/);
    sandbox.faults.plan({ kind: 'booked-then-reset' });
    expect(await callSecurely(sandbox, 'localhost')).toBe('ECONNRESET');
    expect(sandbox.books()).toHaveLength(1);
    expect(await callSecurely(sandbox, 'localhost')).toContain('OK: 678594:');
    const idle = connect(sandbox.port, '127.0.0.1');
    await once(idle, 'connect');
    idle.on('error', () => undefined);
    await sandbox.close();
  });

  it.each(['', 'a b', 'a,b', 'http://x', '-..-'])('refuses "%s" as a name', async (name) => {
    await expect(startSandbox({ tls: { names: [name] } })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('makeCertificate', () => {
  const isThere = spawnSync('openssl', ['version']).status === 0;
  const verdict = serviceVerdict('openssl', 'tests of certificates', isThere);
  it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

  const php = phpVerdict();
  it(php.sentence, () => expect(php.isFine).toBe(true));

  it.runIf(phpIsInstalled())('satisfies PHP', async () => {
    const { ca = '', url } = await world.start({ tls: {} });
    const path = join(await world.folder(), 'ca.pem');
    await writeFile(path, ca);
    const code = 'echo count((new SoapClient($argv[1], ["cache_wsdl" => 0]))->__getFunctions());';
    const { stdout } = spawn('php', ['-d', `openssl.cafile=${path}`, '-r', code, `${url}${PATH}?WSDL`]);
    expect(await text(stdout)).toMatch(/^[1-9]\d$/);
  });

  it.runIf(isThere)('satisfies openssl, strictly', async () => {
    const folder = await world.folder();
    const { ca, cert } = await makeCertificate(new Date(), ['::1', 'pay.test']);
    await writeFile(join(folder, 'ca.pem'), ca);
    await writeFile(join(folder, 'cert.pem'), cert);
    const strictly = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem'];
    const { stdout, stderr } = spawnSync('openssl', [...strictly, 'cert.pem'], { cwd: folder, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['cert.pem: OK\n', '']);
    const names = spawnSync('openssl', ['x509', '-in', 'cert.pem', '-noout', '-ext', 'subjectAltName'], {
      cwd: folder,
    });
    expect(names.stdout.toString()).toContain('IP Address:0:0:0:0:0:0:0:1, DNS:pay.test');
  });
});

describe('der', () => {
  it.each<[string, Buffer, string]>([
    ['a short length', der.octets(Buffer.alloc(127)), '047f'],
    ['a length of one byte', der.octets(Buffer.alloc(128)), '048180'],
    ['a length of two bytes', der.octets(Buffer.alloc(256)), '04820100'],
    ['a whole number that would look negative', der.integer(Buffer.from([0x80])), '02020080'],
    ['an identifier', der.oid('1.2.840.113549.1.1.11'), '06092a864886f70d01010b'],
    ['a time', der.time(new Date('2026-11-27T07:08:09Z')), `170d${Buffer.from('261127070809Z').toString('hex')}`],
    [
      'a late time',
      der.time(new Date('2050-01-01T00:00:00Z')),
      `180f${Buffer.from('20500101000000Z').toString('hex')}`,
    ],
  ])('writes %s', (_, bytes, start) => {
    expect(bytes.toString('hex').slice(0, start.length)).toBe(start);
  });

  it.each([
    ['127.0.0.1', '7f000001'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::7:8', '20010db8000000000000000000070008'],
    ['::ffff:1.2.3.4', '00000000000000000000ffff01020304'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['fe80::1%eth0', undefined],
    ['localhost', undefined],
  ])('knows the bytes of %s', (address, hex) => {
    expect(addressBytes(address)?.toString('hex')).toBe(hex);
  });
});
