import { randomBytes } from 'node:crypto';
import type { WireField, WireOperation } from '../../../schemas/wire.ts';
import { buildRequest, type Login, type SoapRequest } from './build-request.ts';

/** Requests that differ in one value only. */
export type RequestTemplate = {
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
