import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import type { SoapCall } from '../../../src/sandbox/soap/read-envelope.ts';
import { findOperation, unknownOperationText } from '../../../src/sandbox/soap/answer-call.ts';

const SERVED: OperationName[] = ['processCreditCardBatch', 'getBatchProcessResultFile'];

describe('findOperation', () => {
  it.each([
    ['ProcessCreditCardBatch', undefined, 'processCreditCardBatch'],
    ['ProcessCreditCardBatch', 'https://www.iatspayments.com/NetGate/ProcessCreditCardBatch', 'processCreditCardBatch'],
    ['ProcessCreditCardBatch', 'urn:x#ProcessCreditCardBatch', 'processCreditCardBatch'],
    ['ProcessCreditCardBatchV1', 'https://x/NetGate/ProcessCreditCardBatchV1', 'processCreditCardBatch'],
    ['ProcessCreditCardBatchV1', 'https://x/NetGate/ProcessCreditCardBatch', 'processCreditCardBatch'],
    ['ProcessCreditCardBatch', 'https://x/NetGate/Nonsense', undefined],
    ['ProcessCreditCardBatch', 'https://x/NetGate/GetBatchProcessResultFile', undefined],
    ['processCreditCardBatch', undefined, undefined],
    ['ProcessCreditCardBatchV2', undefined, undefined],
    ['ProcessACHEFT', undefined, undefined],
  ])('%s with the action %s is %s', (element, action, operation) => {
    expect(findOperation(callOf(element, action), SERVED)).toBe(operation);
  });
});

describe('unknownOperationText', () => {
  it('names the action, or the element when there is none', () => {
    const sentence = 'Server did not recognize the value of HTTP Header SOAPAction:';
    expect(unknownOperationText(callOf('A', 'https://x/B'))).toBe(`${sentence} https://x/B.`);
    expect(unknownOperationText(callOf('A', undefined))).toBe(`${sentence} A.`);
  });
});

function callOf(element: string, action: string | undefined): SoapCall {
  return { version: '1.2', element, action, fields: new Map() };
}
