import { describe, expect, it } from 'vitest';
import { findPasswordFault } from '../../../src/web/access/log-in.ts';

describe('findPasswordFault', () => {
  it.each([
    ['four words nobody guesses', 'four words nobody guesses', undefined],
    ['eleven char', 'eleven char', 'Use at least 12 characters.'],
    ['', '', 'Use at least 12 characters.'],
    ['x'.repeat(300), 'x'.repeat(300), 'Use at most 256 characters.'],
    ['abababababab', 'abababababab', 'Use more than four different characters.'],
    ['Bartholomew-1', 'Bartholomew-1', 'Do not use your name.'],
    ['four words nobody guesses', 'four words nobody guessed', 'The two are not the same.'],
  ])('of %j and %j is %j', (password, repeated, fault) => {
    expect(findPasswordFault(password, { name: 'bartholomew', repeated })).toBe(fault);
  });
});
