import { describe, expect, it } from 'vitest';
import { scanRules } from '../../../src/csv/scan/scan-column.ts';
import { scanAccountNumber, scanCardNumber } from '../../../src/csv/scan/scan-number.ts';
import { rulesWith } from '../support.ts';
import { scanCellOf } from './support.ts';

describe('scanCardNumber', () => {
  it.each([
    ['4222222222222220', 422_222],
    ['378282246310005', 378_282],
    ['6799990100000000019', 679_999],
  ])('reads %s', (text, cardStart) => {
    expect(scanCellOf(`${text},`, scanCardNumber)).toMatchObject({ sent: text, rest: ',', scan: { cardStart } });
  });

  it.each(['4222222222222221', '42222222222', '67999901000000000190', '', 'x'])('declines %j', (text) => {
    expect(scanCellOf(`${text},`, scanCardNumber)).toBeUndefined();
  });
});

describe('scanAccountNumber', () => {
  function scan(text: string, routingCheck: boolean) {
    const rules = scanRules(rulesWith({ folder: { routingCheck } }));
    return scanCellOf(`${text},`, (scan, at) => scanAccountNumber(scan, at, rules));
  }

  it.each([
    ['1234', false],
    ['02100002100000000000000001', false],
    ['000000000', false],
    ['0210000217', true],
    ['026009593123', true],
  ])('reads %s (routing check %s)', (text, routingCheck) => {
    expect(scan(text, routingCheck)).toMatchObject({ sent: text, rest: ',' });
  });

  it.each([
    ['123', false],
    ['11100002512345600000', false],
    ['021000021000000000000000011', false],
    ['021000021', true],
    ['0030000200000000040000001', false],
    ['x', false],
    ['02100002', true],
    ['021000022', true],
    ['000000000001', true],
  ])('declines %s (routing check %s)', (text, routingCheck) => {
    expect(scan(text, routingCheck)).toBeUndefined();
  });
});
