import { describe, expect, it } from 'vitest';
import { operationOf, operationOfHead } from '../../../src/sandbox/faults/operation-of.ts';

const NAMESPACE = 'https://www.iatspayments.com/NetGate/';

describe('operationOf', () => {
  it.each([
    ['ProcessCreditCard', 'processCreditCard'],
    ['ProcessCreditCardV1', 'processCreditCard'],
    [`${NAMESPACE}ProcessACHEFTV1`, 'processACHEFT'],
    ['GetCreditCardRejectDateRangeCSV', 'getCreditCardRejectDateRangeCSV'],
    ['processCreditCard', undefined],
    ['toString', undefined],
    ['', undefined],
  ])('%s: %s', (name, operation) => {
    expect(operationOf(name)).toBe(operation);
  });
});

describe('operationOfHead', () => {
  it.each([
    [{ soapaction: `"${NAMESPACE}ProcessACHEFT"` }, '', 'processACHEFT'],
    [{ 'content-type': `application/soap+xml; action="${NAMESPACE}ProcessACHEFT"` }, '', 'processACHEFT'],
    [{ 'content-type': 'application/soap+xml' }, 'op=ProcessACHEFT', 'processACHEFT'],
    [{ 'content-type': 'application/soap+xml' }, '', undefined],
    [{}, 'wsdl', undefined],
  ])('%j with %j: %s', (headers, query, operation) => {
    expect(operationOfHead(headers, new URLSearchParams(query))).toBe(operation);
  });
});
