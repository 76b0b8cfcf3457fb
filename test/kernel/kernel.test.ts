import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import * as names from '../../src/kernel/byte-names.ts';
import { byNumber, counted, groupDigits, spanWords } from '../../src/kernel/counted.ts';
import { groupBy } from '../../src/kernel/group-by.ts';
import { FILE_ID, newFileId, shortId } from '../../src/kernel/ids.ts';
import { isLoopback } from '../../src/kernel/is-loopback.ts';
import { passesLuhn, passesLuhnIn } from '../../src/kernel/luhn.ts';
import { joinedDigits, plainDigits } from '../../src/kernel/plain-digits.ts';
import { answerInTime } from '../../src/kernel/answer-in-time.ts';
import { handClock, systemClock } from '../../src/kernel/clock.ts';

it('each name is that of its byte', () => {
  const { LF, CR, SPACE, QUOTE, APOSTROPHE, STAR, COMMA, MINUS, POINT, SLASH, ZERO, NINE } = names;
  const bytes = [LF, CR, SPACE, QUOTE, APOSTROPHE, STAR, COMMA, MINUS, POINT, SLASH, ZERO, NINE];
  expect(Buffer.from(bytes).toString()).toBe('\n\r "\'*,-./09');
  expect(Object.keys(names)).toHaveLength(bytes.length);
});

it.each([
  [1, 'row', '1 row'],
  [0, 'row', '0 rows'],
  [2, 'result row', '2 result rows'],
  [-1, 'row', '-1 rows'],
  [1, 'open batch', '1 open batch'],
  [3, 'open batch', '3 open batches'],
  [2, 'process', '2 processes'],
])('counted says %s %s as %s', (count, noun, words) => {
  expect(counted(count, noun)).toBe(words);
});

it('byNumber takes the first word for one and the second for every other count', () => {
  expect([0, 1, 2].map((count) => byNumber(count, 'is', 'are'))).toEqual(['are', 'is', 'are']);
});

it('groupBy keeps every item once, in the order in which it came', () => {
  const groups = groupBy(['b1', 'a1', 'b2'], (item) => item[0]!);
  expect([...groups]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ]);
});

const MANY = Array.from({ length: 5_000 }, newFileId);

describe('spanWords', () => {
  it.each([
    [0, '0 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_199_000, '119 min'],
    [7_200_000, '2 h'],
    [172_799_000, '47 h'],
    [172_800_000, '2 days'],
  ])('%i ms: %s', (ms, words) => {
    expect(spanWords(ms)).toBe(words);
  });
});

describe('newFileId', () => {
  it('is 16 characters that FILE_ID knows again', () => {
    for (const id of MANY) expect(id).toMatch(FILE_ID);
  });

  it('is another each time, also in the part that people read', () => {
    expect(new Set(MANY).size).toBe(MANY.length);
    expect(new Set(MANY.map(shortId)).size).toBe(MANY.length);
  });

  it('uses each of the 32 characters, and none that people misread', () => {
    expect([...new Set(MANY.join(''))].sort().join('')).toBe('0123456789abcdefghjkmnpqrstvwxyz');
  });
});

it('shortId is the first half', () => {
  expect(shortId('0123456789abcdef')).toBe('01234567');
});

describe('FILE_ID', () => {
  it.each(['', '0123456789abcde', '0123456789abcdef0', '0123456789ABCDEF', '../../etc/passwd', '0123456789abcdef\n'])(
    'does not take %j',
    (text) => {
      expect(text).not.toMatch(FILE_ID);
    },
  );

  it.each(['i', 'l', 'o', 'u', '-', '/', '.'])('takes no %j in it', (character) => {
    expect(`0123456789abcde${character}`).not.toMatch(FILE_ID);
  });
});

describe('isLoopback', () => {
  it.each(['localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]'])('knows %s', (host) =>
    expect(isLoopback(host)).toBe(true),
  );
  it.each(['0.0.0.0', '::', '127.evil.example', '128.0.0.1', 'localhost.evil.example', '127.0.0.1.example'])(
    'does not take %s for it',
    (host) => expect(isLoopback(host)).toBe(false),
  );
});

describe('passesLuhn', () => {
  it.each([
    ['4222222222222220', true],
    ['4111111111111111', true],
    ['4222222222222', true],
    ['378282246310005', true],
    ['0', true],
    ['18', true],
    ['4222222222222221', false],
    ['4222222222222202', false],
    ['1', false],
    ['', false],
    ['4222 2222 2222 2220', false],
    ['4222-2222', false],
    ['４２２２２２２２２２２２２２２０', false],
  ])('says of %j: %s', (digits, expected) => {
    expect(passesLuhn(digits)).toBe(expected);
  });

  it('lets exactly one check digit of ten pass', () => {
    const someDigits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 0, maxLength: 30 });
    fc.assert(
      fc.property(someDigits, (digits) => {
        const passing = Array.from({ length: 10 }, (_, check) => `${digits.join('')}${check}`).filter(passesLuhn);
        expect(passing).toHaveLength(1);
      }),
    );
  });
});

it('passesLuhnIn says of a stretch of digits what passesLuhn says of their text', () => {
  const someDigits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 30 });
  fc.assert(
    fc.property(someDigits, someDigits, (before, digits) => {
      const bytes = Buffer.from(`${before}${digits},9`);
      expect(passesLuhnIn(bytes, before.length, before.length + digits.length)).toBe(passesLuhn(digits));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['0123456789', '0123456789'],
  ['\uff10\uff11\uff19', '019'],
  ['\u0660\u0661\u0669', '019'],
  ['\u0966\u096f', '09'],
  ['\u{1d7ce}\u{1d7d7}\u{1d7d8}\u{1d7ff}', '0909'],
  ['\u00bd \u2460 \u4e00 x', '\u00bd \u2460 \u4e00 x'],
  ['', ''],
])('plainDigits makes of %j %j', (text, plain) => {
  expect(plainDigits(text)).toBe(plain);
});

it.each([
  ['of 0210000 (21)_4/0', 'of02100002140'],
  ['\uff10\uff11-\u0662', '012'],
  ['***60', '60'],
  ['', ''],
])('joinedDigits makes of %j %j', (text, joined) => {
  expect(joinedDigits(text)).toBe(joined);
});

describe('answerInTime', () => {
  it('gives the answer that comes in time', async () => {
    expect(await answerInTime(1_000, Promise.resolve('yes'))).toBe('yes');
  });

  it('fails as the answer fails', async () => {
    await expect(answerInTime(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('gives up on an answer that does not come', async () => {
    await expect(answerInTime(10, new Promise(() => {}))).rejects.toThrow('no answer within 10 ms');
  });

  it('is not disturbed by a failure that comes after the time', async () => {
    const { promise, reject } = deferred();
    await expect(answerInTime(10, promise)).rejects.toThrow('no answer');
    reject(new Error('too late'));
    await expect(promise).rejects.toThrow('too late');
  });
});

function deferred(): { promise: Promise<void>; reject(error: Error): void } {
  let reject = (_error: Error) => {};
  const promise = new Promise<void>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

it('systemClock says the time of the system', () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

describe('handClock', () => {
  it.each([['2026-06-15T10:00:00Z'], [new Date('2026-06-15T10:00:00Z')]])('stands still at %j', (start) => {
    const clock = handClock(start);
    expect(clock.now().toISOString()).toBe('2026-06-15T10:00:00.000Z');
    expect(clock.now()).toEqual(clock.now());
  });

  it('moves only by hand, forwards, backwards and to a moment', () => {
    const clock = handClock('2026-06-15T10:00:00Z');
    clock.advance(1_500);
    expect(clock.now().toISOString()).toBe('2026-06-15T10:00:01.500Z');
    clock.advance(-2_000);
    expect(clock.now().toISOString()).toBe('2026-06-15T09:59:59.500Z');
    clock.set('2027-01-01T00:00:00Z');
    expect(clock.now().toISOString()).toBe('2027-01-01T00:00:00.000Z');
  });

  it('gives out dates that cannot move it', () => {
    const start = new Date('2026-06-15T10:00:00Z');
    const clock = handClock(start);
    clock.now().setTime(0);
    start.setTime(0);
    expect(clock.now().toISOString()).toBe('2026-06-15T10:00:00.000Z');
  });
});

describe('groupDigits', () => {
  it.each([
    ['0', '0'],
    ['999', '999'],
    ['1000', '1,000'],
    ['1234567', '1,234,567'],
    ['0.00', '0.00'],
    ['1234.50', '1,234.50'],
    ['-1234567.89', '-1,234,567.89'],
    ['123456.7890', '123,456.7890'],
  ])('of %s are %s', (text, grouped) => {
    expect(groupDigits(text)).toBe(grouped);
  });
});
