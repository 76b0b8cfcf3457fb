import type { IncomingHttpHeaders } from 'node:http';
import { WIRE_OPERATIONS, type WireOperation } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { parameterOf } from '../soap/decode-document.ts';

/** Returns the operation that a request element or action names, with or without the V1 of version 1. */
export function operationOf(name: string): WireOperation | undefined {
  const wanted = name.replace(/^.*[/#]/, '').replace(/V1$/, '');
  return WIRE_OPERATIONS.find((operation) => wireName(operation) === wanted);
}

/**
 * Returns the operation that a request head names: in its action, else in the address. A SOAP 1.2 client may name it in
 * neither.
 */
export function operationOfHead(headers: IncomingHttpHeaders, query: URLSearchParams): WireOperation | undefined {
  const { soapaction } = headers;
  const header = typeof soapaction === 'string' ? soapaction.trim().replace(/^"(.*)"$/, '$1') : undefined;
  const action = header ?? parameterOf(headers['content-type'] ?? '', 'action');
  return operationOf(action ?? query.get('op') ?? '');
}
