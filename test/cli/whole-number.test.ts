import { describe, expect, it } from 'vitest';
import { wholeNumber } from '../../src/cli/whole-number.ts';

describe('wholeNumber', () => {
  it.each([
    ['0', 0],
    ['65535', 65_535],
    ['007', 7],
  ])('reads %s', (text, value) => {
    expect(wholeNumber('--port', text, 65_535)).toBe(value);
  });

  it.each(['', 'x', '-1', '1.5', '1e3', ' 1', '65536', '99999999999999999', true as const, undefined])(
    'refuses %j and names the option',
    (text) => {
      expect(() => wholeNumber('--port', text, 65_535)).toThrow(
        expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('Cannot use --port "') }),
      );
    },
  );

  it('says the range where there is one', () => {
    expect(() => wholeNumber('--port', 'x', 65_535)).toThrow('it is not a whole number from 0 to 65535');
    expect(() => wholeNumber('--port', 'x')).toThrow('it is not a whole number. ');
  });
});
