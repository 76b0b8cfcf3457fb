import { describe, expect, it } from 'vitest';
import { judgeResult } from '../../../src/gateway/reports/judge-result.ts';

describe('judgeResult', () => {
  it.each([
    ['card', 'approved', 'OK:678594:', 'approved'],
    ['card', 'approved', 'OK: 678594:X', 'approved'],
    ['card', 'approved', ' OK ', 'approved'],
    ['card', 'approved', 'OK:nonsense', 'unknown'],
    ['card', 'approved', '', 'unknown'],
    // List and text contradict each other.
    ['card', 'approved', 'REJ:15', 'unknown'],
    ['card', 'rejected', 'OK:678594:', 'unknown'],
    ['card', 'rejected', 'REJ:15', 'rejected'],
    ['card', 'rejected', 'REJECT: 40', 'rejected'],
    // These codes do not say whether money moved.
    ['card', 'rejected', 'REJ:70', 'unknown'],
    ['card', 'rejected', 'REJ:999', 'unknown'],
    ['card', 'rejected', 'REJ:', 'unknown'],
    ['card', 'rejected', 'REJ:TIMEOUT', 'unknown'],
    ['card', 'rejected', 'TIMEOUT:Timeout', 'unknown'],
    ['bank', 'approved', 'OK:555555:', 'accepted'],
    ['bank', 'approved', 'OK:555555', 'accepted'],
    ['bank', 'approved', 'OK:BankAccept', 'approved'],
    ['bank', 'approved', 'OK:Reject', 'rejected'],
    ['bank', 'rejected', 'OK:Reject', 'rejected'],
    ['bank', 'rejected', 'OK:BankAccept', 'unknown'],
    ['bank', 'rejected', 'REJ:40', 'rejected'],
    // Banks have their own codes.
    ['bank', 'rejected', 'REJ:72', 'rejected'],
    // The processor resends it by itself.
    ['bank', 'rejected', 'REJ:TIMEOUT', 'unknown'],
    ['bank', 'returned', 'REJ:63', 'returned'],
    ['bank', 'returned', 'OK:Reject', 'returned'],
    ['bank', 'returned', 'REJ:TIMEOUT', 'unknown'],
  ] as const)('%s, %s: %j is %s', (method, list, result, outcome) => {
    expect(judgeResult(result, { method, list })).toBe(outcome);
  });
});
