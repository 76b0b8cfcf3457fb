import { randomBytes } from 'node:crypto';
import type { WireField, WireOperation } from '../../../schemas/wire.ts';
import { buildRequest, type Login, type SoapRequest } from './build-request.ts';

/** Requests that differ in one value only. */
export type RequestTemplate = {
  /** @param value text that stands in XML as it is: base64, letters, digits; anything else must be built anew */
  fill(value: string): SoapRequest;
};

/** What templates are made of: where the calls go, and who calls. */
type Caller = { readonly address: URL; readonly login: Login };

/**
 * Makes the request of an operation of one field, once: node-soap takes a millisecond for each and copies its text several
 * times, and of these requests nothing but one value changes. It is made with a word in the place of the value, and cut
 * there; the rest is kept, which holds the login and nothing of a payment.
 * @throws PipelineError INTERNAL as `buildRequest` does
 */
export async function makeTemplate(
  { address, login }: Caller,
  operation: WireOperation,
  field: WireField,
): Promise<RequestTemplate> {
  // By chance it stands nowhere else, not even in a password.
  const word = randomBytes(20).toString('hex');
  const request = await buildRequest({ operation, address: address.href, login, values: { [field]: word } });
  const at = request.body.indexOf(word);
  const head = request.body.subarray(0, at);
  const tail = request.body.subarray(at + word.length);
  return {
    fill: (value) => {
      const body = Buffer.allocUnsafe(head.length + value.length + tail.length);
      body.set(head);
      body.write(value, head.length, 'latin1');
      body.set(tail, head.length + value.length);
      return { headers: request.headers, body };
    },
  };
}

/** Keeps the templates of each caller for as long as it lives. */
const kept = new WeakMap<Caller, Map<string, Promise<RequestTemplate>>>();

/** The template of this caller, made when it is wanted first. */
export function templateOf(caller: Caller, operation: WireOperation, field: WireField): Promise<RequestTemplate> {
  const own = kept.get(caller) ?? new Map<string, Promise<RequestTemplate>>();
  kept.set(caller, own);
  const known = own.get(operation) ?? makeTemplate(caller, operation, field);
  own.set(operation, known);
  // One that failed is tried again.
  known.catch(() => own.delete(operation));
  return known;
}
