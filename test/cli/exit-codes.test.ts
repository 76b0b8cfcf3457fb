import { expect, it } from 'vitest';
import { EXIT } from '../../schemas/errors.ts';
import { describeExitCodes } from '../../src/cli/make-program.ts';

it('describeExitCodes has a line for every exit status, short enough for a terminal', () => {
  const [title, ...lines] = describeExitCodes().split('\n');
  expect(title).toBe('Exit status:');
  expect(lines.map((line) => Number(line.trim().split(' ')[0]))).toEqual(Object.values(EXIT));
  for (const line of lines) expect(line).toMatch(/^ {2}\d {2}\S.{10,74}$/);
});
