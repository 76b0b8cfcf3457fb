import { randomBytes } from 'node:crypto';
import { type CallValues, type WireField, wireKind, type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { PipelineError } from '../../kernel/errors.ts';

export type Login = { readonly agentCode: string; readonly password: string };

/** A finished request, without the headers that `post` adds. */
export type SoapRequest = { headers: Record<string, string>; body: Buffer };

/**
 * Builds the SOAP 1.2 request of any operation or report. Nothing is sent.
 * @param call.values the fields as unescaped text; booleans as `true` or `false`, files as base64
 * @throws PipelineError INTERNAL, without the values that node-soap's own errors carry
 */
export async function buildRequest(call: {
  operation: WireOperation;
  address: string;
  login: Login;
  values: CallValues;
}): Promise<SoapRequest> {
  const elements = listElements(call.operation, call.login, call.values);
  try {
    const { letSoapWrite } = await import('./load-wsdl.ts');
    return await letSoapWrite(call.operation, call.address, elements);
  } catch {
    throw new PipelineError('INTERNAL', `build the request of ${call.operation}`, 'node-soap failed');
  }
}

/**
 * Lists the elements in schema order, because node-soap writes them in the order given. Every request has agent code,
 * password and IP address. Other fields without a value are left out, which the schema allows for all but booleans and
 * date-times.
 */
function listElements(operation: WireOperation, login: Login, values: CallValues) {
  const entries: [string, string][] = [
    ['agentCode', login.agentCode],
    ['password', login.password],
  ];
  for (const name of wireRow(operation).elements) {
    const value = name === 'customerIPAddress' ? (values[name] ?? '') : values[name];
    if (value !== undefined) entries.push([name, value]);
    else if (mustStand(name))
      throw new PipelineError('INTERNAL', `build the request of ${operation}`, `${name} is missing`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, escapeText(value)]));
}

function mustStand(name: WireField): boolean {
  return wireKind(name) === 'boolean' || wireKind(name) === 'dateTime';
}

/** Escapes text. Drops characters that XML 1.0 cannot carry even escaped; the service could not read the request. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;');
}

/** Requests that differ in one value only. */
type RequestTemplate = {
  /** @param value text that needs no escaping in XML: base64, letters, digits; build anything else anew */
  fill(value: string): SoapRequest;
  /** @param file written as base64 */
  fillFile(file: Uint8Array): SoapRequest;
};

/** What a template depends on: where the calls go and who makes them. */
type Caller = { readonly address: URL; readonly login: Login };

/**
 * Makes the request of an operation with one field, once. node-soap takes a millisecond for each request and copies its
 * text several times, although only one value changes. The request is built with a placeholder and cut there. The rest
 * is kept; it holds the login and nothing of a payment.
 * @throws PipelineError INTERNAL as `buildRequest` does
 */
export async function makeTemplate(
  { address, login }: Caller,
  operation: WireOperation,
  field: WireField,
): Promise<RequestTemplate> {
  // Random, so that it occurs nowhere else, not even in a password.
  const word = randomBytes(20).toString('hex');
  const request = await buildRequest({ operation, address: address.href, login, values: { [field]: word } });
  const at = request.body.indexOf(word);
  const head = request.body.subarray(0, at);
  const tail = request.body.subarray(at + word.length);
  const fill = (length: number, write: (body: Buffer, at: number) => void) => {
    const body = Buffer.allocUnsafe(head.length + length + tail.length);
    body.set(head);
    write(body, head.length);
    body.set(tail, head.length + length);
    return { headers: request.headers, body };
  };
  return {
    fill: (value) => fill(value.length, (body, at) => body.write(value, at, 'latin1')),
    fillFile: (file) => fill(Math.ceil(file.length / 3) * 4, (body, at) => writeBase64(body, at, file)),
  };
}

/** Writes base64 piece by piece, because as a whole it would be a megabyte string that triggers garbage collection. */
function writeBase64(body: Buffer, from: number, file: Uint8Array): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  let at = from;
  for (let next = 0; next < bytes.length; next += PIECE_BYTES)
    at += body.write(bytes.toString('base64', next, next + PIECE_BYTES), at, 'latin1');
}

/** Divisible by three, so that padding stands at the end only. */
const PIECE_BYTES = 48 * 1024;

/** The templates of each caller, kept as long as it lives. */
const kept = new WeakMap<Caller, Map<string, Promise<RequestTemplate>>>();

/** Returns the template of this caller, made on first use. */
export function templateOf(caller: Caller, operation: WireOperation, field: WireField): Promise<RequestTemplate> {
  const own = kept.get(caller) ?? new Map<string, Promise<RequestTemplate>>();
  kept.set(caller, own);
  const known = own.get(operation) ?? makeTemplate(caller, operation, field);
  own.set(operation, known);
  // A template that failed is made again.
  known.catch(() => own.delete(operation));
  return known;
}
