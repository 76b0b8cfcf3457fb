import { expect, it } from 'vitest';
import { hasPerson, systemTerminal } from '../../../src/cli/call/terminal.ts';
import { fakeTerminal, pipedInput } from '../support/fake-terminal.ts';

it('hasPerson wants somebody who sees the question and can answer it', () => {
  const person = fakeTerminal();
  const pipe = pipedInput();
  expect(hasPerson(person)).toBe(true);
  expect(hasPerson(pipe)).toBe(false);
  expect(hasPerson({ input: person.input, output: pipe.output })).toBe(false);
  expect(hasPerson({ input: pipe.input, output: person.output })).toBe(false);
});

it('systemTerminal asks on standard error, so that standard output stays data', () => {
  expect(systemTerminal()).toEqual({ input: process.stdin, output: process.stderr });
});
