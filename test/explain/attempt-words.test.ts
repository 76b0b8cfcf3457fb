import { describe, expect, it } from 'vitest';
import { stepText } from '../../schemas/steps.ts';
import { describeAnswer, describeWait, describeWritten, sayUnanswered } from '../../src/explain/attempt-words.ts';

const call = (evidence: Record<string, unknown> | null) => ({ request_bytes: 900, evidence });

describe('describeWritten', () => {
  it.each([
    [{ bytesWritten: 0 }, '0 bytes; the request has 900 and its headers'],
    [{ bytesWritten: 950 }, '950 bytes; the request has 900 and its headers'],
    [null, 'not known; the request has 900 and its headers'],
  ])('of %j says %s', (evidence, words) => {
    expect(describeWritten(call(evidence))).toBe(words);
  });
});

describe('describeAnswer', () => {
  it.each([
    [null, 'nothing'],
    [{ bytesRead: 0 }, 'nothing'],
    [{ httpStatus: 500, bytesRead: 0 }, 'HTTP 500, 0 bytes'],
    [{ httpStatus: 200, bytesRead: 40, answerText: 'Busy' }, 'HTTP 200, 40 bytes, Busy'],
  ])('of %j says %s', (evidence, words) => {
    expect(describeAnswer(call(evidence))).toBe(words);
  });
});

describe('sayUnanswered', () => {
  it('names the cause and what is safe', () => {
    expect(stepText(sayUnanswered('the service answered HTTP 500'))).toMatch(
      /^The question got no answer: the service answered HTTP 500\. The service has the batch/,
    );
  });
});

describe('describeWait', () => {
  it.each([
    [-5, 'less than a minute'],
    [59_999, 'less than a minute'],
    [60_000, '1 minute'],
    [3_600_000, '1 hour'],
    [90_060_000, '1 day 1 hour'],
    [2 * 86_400_000 + 61_000, '2 days 1 minute'],
  ])('of %i ms is %s', (ms, text) => {
    expect(describeWait(ms)).toBe(text);
  });
});
