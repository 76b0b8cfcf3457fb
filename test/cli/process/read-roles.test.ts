import { describe, expect, it } from 'vitest';
import { EVERY_ROLE } from '../../../schemas/roles.ts';
import { readRoles } from '../../../src/cli/process/start.ts';

describe('readRoles', () => {
  it.each([undefined, '', ' , '])('takes %j for everything', (text) => {
    expect(readRoles(text)).toBe(EVERY_ROLE);
  });

  it('reads names with blanks around them, each once', () => {
    expect(readRoles(' submit, poll,submit')).toEqual(new Set(['submit', 'poll']));
  });

  it.each(['sumbit', 'submit poll', 'toString'])('refuses %j and names those there are', (text) => {
    expect(() => readRoles(`watch,${text}`)).toThrow(
      `Cannot do the work of "${text}": there is no such role. Name some of watch, intake, submit, poll, deliver`,
    );
  });
});
