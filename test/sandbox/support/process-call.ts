import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type Fields, goldenAnswer, LOGIN, PATH, post, soapRequest, type Style } from './soap-request.ts';

/** The day of sandboxes whose answers are compared byte by byte. */
export const NOW = '2017-06-15T10:11:12Z';
export const BANK_NUMBER = '02100002100000000000000001';

export const CUSTOMER_PATH = '/NetGate/CustomerLinkv2.asmx';

export type CallArguments = [
  element: string,
  fields: Fields,
  options?: { style?: Style; path?: string; login?: Fields },
];

/** Returns the whole answer to a call over HTTP. */
export async function callSandbox(
  { url }: Pick<Sandbox, 'url'>,
  ...[element, fields, options = {}]: CallArguments
): Promise<string> {
  const request = soapRequest(element, { ...(options.login ?? LOGIN), ...fields }, options.style);
  return (await post(url + (options.path ?? PATH), request)).text;
}

/** Returns the answer to a call that succeeded. */
export function goldenSuccess(element: string, payload: string, style?: Style): string {
  return goldenAnswer(element, `<STATUS>Success</STATUS><ERRORS />${payload}`, style);
}

/** Returns the answer to a call that lacks something. */
export function goldenNullFailure(element: string): string {
  const error = 'Object reference not set to an instance of an object.';
  const payload = '<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>';
  return goldenAnswer(element, `<STATUS>Failure</STATUS><ERRORS>${error}</ERRORS>${payload}`);
}

/** Returns the text of one element of an answer, unchanged. */
export function valueOf(answer: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(answer)?.[1] ?? '';
}

/** Returns the answer of an operation on one customer record. */
export function goldenRecord(element: string, result: string, code: string, style?: Style): string {
  const customerCode = code === '' ? '<CUSTOMERCODE />' : `<CUSTOMERCODE>${code}</CUSTOMERCODE>`;
  const payload = `<PROCESSRESULT><AUTHORIZATIONRESULT>${result}</AUTHORIZATIONRESULT>${customerCode}</PROCESSRESULT>`;
  return goldenSuccess(element, payload, style);
}

/** Dates of a card payment on that day. */
const DATES = '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>';

/** Returns the payload of a card payment; an empty id or code stands for none. */
export function cardResult(message: string, id: string, code = ''): string {
  return processResult(message, code, DATES, id);
}

export function bankResult(message: string, id: string, code = ''): string {
  return processResult(message, code, '', id);
}

function processResult(message: string, code: string, dates: string, id: string): string {
  const customerCode = code === '' ? '<CUSTOMERCODE />' : `<CUSTOMERCODE>${code}</CUSTOMERCODE>`;
  const transactionId = id === '' ? '<TRANSACTIONID />' : `<TRANSACTIONID>${id}\n</TRANSACTIONID>`;
  const text = `<AUTHORIZATIONRESULT> ${message}\n</AUTHORIZATIONRESULT>`;
  return `<PROCESSRESULT>${text}${customerCode}${dates}${transactionId}</PROCESSRESULT>`;
}

/** Makes a call and returns the text that decides, without its padding. */
export async function messageOf(...call: Parameters<typeof callSandbox>): Promise<string> {
  const text = valueOf(await callSandbox(...call), 'AUTHORIZATIONRESULT');
  expect(text).toMatch(/^ .*\n$/);
  return text.trim();
}
