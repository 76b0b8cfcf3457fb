import { describe, expect, it } from 'vitest';
import { ClockMove, FaultRequest } from '../../schemas/sandbox-control.ts';

describe('ClockMove', () => {
  it.each([{ set: '2026-06-15T09:00:00Z' }, { set: '2026-06-15T09:00:00+02:00' }, { advanceMs: -5 }])(
    'takes %j',
    (move) => {
      expect(ClockMove.parse(move)).toEqual(move);
    },
  );

  it.each([
    {},
    null,
    { set: 'noon' },
    { set: '2026-06-15' },
    { advanceMs: '5' },
    { advanceMs: 0.5 },
    { set: '2026-06-15T09:00:00Z', advanceMs: 5 },
    { advance: 5 },
  ])('refuses %j and shows how', (move) => {
    const read = ClockMove.safeParse(move);
    expect(read.error?.issues[0]?.message).toBe('must be {"set": "2026-06-15T09:00:00Z"} or {"advanceMs": 86400000}');
  });
});

describe('FaultRequest', () => {
  it.each([
    { kind: 'no-answer' },
    { kind: 'no-answer', operation: '*', times: 'always', after: 0, chance: 0.5, seed: -3, delayMs: 0 },
    { kind: 'no-answer', operation: 'processCreditCard', times: 3 },
    { kind: 'no-answer', operation: 'getCreditCardRejectDateRangeCSV' },
  ])('takes %j', (request) => {
    expect(FaultRequest.parse(request)).toEqual(request);
  });

  it.each([
    [null, 'must be an object such as {"kind": "no-answer"}'],
    [{}, 'must name a kind of fault'],
    [{ kind: 'x', operation: 'ProcessCreditCard' }, 'must be an operation in the spelling of the spec, or "*"'],
    [{ kind: 'x', times: 0 }, 'must be a number from 1, or "always"'],
    [{ kind: 'x', times: 'never' }, 'must be a number from 1, or "always"'],
    [{ kind: 'x', after: -1 }, 'must not be negative'],
    [{ kind: 'x', after: 0.5 }, 'must be a whole number'],
    [{ kind: 'x', chance: 1.1 }, 'must be 0 to 1'],
    [{ kind: 'x', seed: 'a' }, 'must be a whole number'],
    [{ kind: 'x', delayMs: 2 ** 31 }, 'must be 2147483647 at most'],
    [{ kind: 'x', delay: 5 }, 'Unrecognized key: "delay"'],
  ])('refuses %j: %s', (request, message) => {
    expect(FaultRequest.safeParse(request).error?.issues[0]?.message).toBe(message);
  });
});
