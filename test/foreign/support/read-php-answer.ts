import { expect } from 'vitest';
import type { PhpAnswer } from './call-with-php.ts';

/** The payload of an answer that was understood, which an answer with anything in ERRORS is not. */
export function payloadOf(answer: PhpAnswer | undefined, payload: string): Record<string, unknown> {
  if (!answer || 'fault' in answer || answer.status !== 'Success' || answer.errors !== '') {
    throw new Error(`not understood: ${JSON.stringify(answer)}`);
  }
  if (answer.payload !== payload || typeof answer.values === 'string') {
    throw new Error(`not a ${payload}: ${JSON.stringify(answer)}`);
  }
  return answer.values;
}

/** The code that an answer gave to a new record. */
export function customerCodeOf(answer: PhpAnswer | undefined): string {
  const code = String(payloadOf(answer, 'PROCESSRESULT')['CUSTOMERCODE']);
  expect(code).toMatch(/^A\d{8}$/);
  return code;
}

/** The id of a charge, without its padding. */
export function transactionIdOf(answer: PhpAnswer | undefined): string {
  return String(payloadOf(answer, 'PROCESSRESULT')['TRANSACTIONID']).trim();
}

/** What lies in FILE, which holds nothing but text and so is no structure to PHP. */
export function fileOf(answer: PhpAnswer | undefined): string {
  expect(answer).toMatchObject({ status: 'Success', errors: '', payload: 'FILE' });
  return answer && 'values' in answer ? decodeFile(answer.values) : '';
}

/** The text of a file in base64. */
export function decodeFile(text: unknown): string {
  return Buffer.from(String(text), 'base64').toString('utf8');
}

/** The last column of each row of a result file. */
export function messagesOf(file: string): (string | undefined)[] {
  expect(file.endsWith('\r\n')).toBe(true);
  return file
    .trim()
    .split('\r\n')
    .map((line) => line.split(',').at(-1));
}
