import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { makeProgram } from '../../src/cli/make-program.ts';
import { takeDown } from './support/take-down.ts';

describe('COMMANDS', () => {
  it('has each name once', () => {
    const names = COMMANDS.map((command) => command.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('can print JSON wherever data is printed', () => {
    const silent = ['demo', 'init', 'start', 'sandbox'];
    const withJson = COMMANDS.filter((command) => command.options?.some(([flags]) => flags === '--json'));
    expect(withJson.map((command) => command.name)).toEqual(
      COMMANDS.map((command) => command.name).filter((name) => !silent.includes(name)),
    );
  });

  const examples = COMMANDS.flatMap((command) => command.examples.map((line) => [command.name, line] as const));
  it.each(examples)('%s: the example "%s" is understood', async (name, line) => {
    const called: string[] = [];
    const stubs = COMMANDS.map((command) => ({
      ...command,
      run: async (call: Call) => {
        called.push(command.name);
        return call.arguments.length;
      },
    }));
    const [plain = ''] = line.split(/ (?:\d?>|\|)/);
    const words = (plain.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    await takeDown(() => makeProgram(stubs, () => {}).parseAsync(words, { from: 'user' }));
    expect(called).toEqual([name]);
  });

  it('has an example for every command', () => {
    expect(COMMANDS.filter((command) => command.examples.length === 0)).toEqual([]);
  });
});
