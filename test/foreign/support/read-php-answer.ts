import { expect } from 'vitest';
import type { PhpAnswer } from './call-with-php.ts';

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
