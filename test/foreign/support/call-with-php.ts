import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'vitest';
import { type ServiceVerdict, serviceVerdict } from '../../support/service-verdict.ts';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { FIRST_REPORTS } from '../../../schemas/sandbox/report-v1.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { LOGIN } from '../../sandbox/support/soap-request.ts';

/** Returns whether PHP is here with its SOAP client and an XML reader for the answers. No npm package brings one. */
export function phpIsInstalled(): boolean {
  const question = 'exit((int) !(class_exists("SoapClient") && function_exists("simplexml_load_string")));';
  return spawnSync('php', ['-r', question]).status === 0;
}

export function phpVerdict(): ServiceVerdict {
  return serviceVerdict('php with its soap and xml extensions', 'tests of its client', phpIsInstalled());
}

/** Runs a script with JSON as its input, and returns the JSON that it prints. */
export async function runPhp(script: URL, input: unknown): Promise<unknown> {
  const child = spawn('php', ['-d', 'display_errors=stderr', fileURLToPath(script)], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(input));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0 || errors !== '') throw new Error(`php ended with status ${child.exitCode}: ${errors}`);
  return JSON.parse(output);
}

/** How PHP's client is set up: the version of SOAP, and the version of the service in its path. */
export type PhpStyle = { readonly soapVersion: 1 | 2; readonly path: '' | 'v2' | 'v3' | 'v4' };

/** A call by our name, with the elements after the login. */
export type PhpCall = readonly [
  operation: WireOperation,
  elements: Readonly<Record<string, string | number | boolean>>,
];

/** What a PHP program sees of an answer. Values are as on the wire, with their padding. */
type PhpAnswer =
  | { status: string; errors: string; payload: string; values: Record<string, unknown> | string }
  | { fault: string; says: string };

/** Makes the calls one after the other in one PHP process, with one client for each service. */
export async function callWithPhp(url: string, style: PhpStyle, calls: readonly PhpCall[]): Promise<PhpAnswer[]> {
  const wsdlOf = (service: string) => [service, `${url}/NetGate/${service}${style.path}.asmx?WSDL`];
  const answers = await runPhp(new URL('../php/soap-calls.php', import.meta.url), {
    services: Object.fromEntries(['ProcessLink', 'CustomerLink', 'ReportLink'].map(wsdlOf)),
    soapVersion: style.soapVersion,
    calls: calls.map(([operation, elements]) => ({
      service: wireRow(operation).service,
      operation: nameAt(style, operation),
      elements: { ...LOGIN, ...elements },
    })),
  });
  return answers as PhpAnswer[];
}

/** Returns what PHP calls an operation. Of two reports of one name it sees the first. */
function nameAt({ path }: PhpStyle, operation: WireOperation): string {
  const names = FIRST_REPORTS.filter(({ report, isBare }) => report === operation && !isBare).map(({ name }) => name);
  return (path === '' && names.at(-1)) || wireName(operation);
}

/** Gives a sandbox another address, at which the connections of a client are counted. */
export async function countConnections({ port }: { port: number }) {
  let count = 0;
  const server = createServer((client) => {
    count += 1;
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}`, count: () => count, close: () => server.close() };
}

/** Returns the payload of an answer that was understood; one with anything in ERRORS was not. */
export function payloadOf(answer: PhpAnswer | undefined, payload: string): Record<string, unknown> {
  if (!answer || 'fault' in answer || answer.status !== 'Success' || answer.errors !== '') {
    throw new Error(`not understood: ${JSON.stringify(answer)}`);
  }
  if (answer.payload !== payload || typeof answer.values === 'string') {
    throw new Error(`not a ${payload}: ${JSON.stringify(answer)}`);
  }
  return answer.values;
}

/** Returns the code that an answer gave to a new record. */
export function customerCodeOf(answer: PhpAnswer | undefined): string {
  const code = String(payloadOf(answer, 'PROCESSRESULT')['CUSTOMERCODE']);
  expect(code).toMatch(/^A\d{8}$/);
  return code;
}

/** Returns the id of a charge, without its padding. */
export function transactionIdOf(answer: PhpAnswer | undefined): string {
  return String(payloadOf(answer, 'PROCESSRESULT')['TRANSACTIONID']).trim();
}

/** Returns the content of FILE, which holds only text and so is no structure to PHP. */
export function fileOf(answer: PhpAnswer | undefined): string {
  expect(answer).toMatchObject({ status: 'Success', errors: '', payload: 'FILE' });
  return answer && 'values' in answer ? decodeFile(answer.values) : '';
}

/** Decodes the text of a base64 file. */
export function decodeFile(text: unknown): string {
  return Buffer.from(String(text), 'base64').toString('utf8');
}

/** Returns the last column of each row of a result file. */
export function messagesOf(file: string): (string | undefined)[] {
  expect(file.endsWith('\r\n')).toBe(true);
  return file
    .trim()
    .split('\r\n')
    .map((line) => line.split(',').at(-1));
}
