import { describe, expect, it } from 'vitest';
import { ACTION_COMMANDS, commandOf, HOST_COMMANDS, VIEW_COMMANDS } from '../../schemas/steps.ts';
import type { Call, CliCommand } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { makeProgram } from '../../src/cli/run-command-line.ts';
import { takeDown } from './support/take-down.ts';

/** Every command that runs, including subcommands. */
const RUNNING = COMMANDS.flatMap(leavesOf);

describe('COMMANDS', () => {
  it('has each name once', () => {
    for (const names of namesOf(COMMANDS)) expect(new Set(names).size, names.join(' ')).toBe(names.length);
  });

  it('can print JSON wherever data is printed', () => {
    const silent = ['demo', 'init', 'start', 'sandbox'];
    const withJson = RUNNING.filter((command) => command.options?.some(([flags]) => flags === '--json'));
    expect(withJson.map((command) => command.name)).toEqual(
      RUNNING.map((command) => command.name).filter((name) => !silent.includes(name)),
    );
  });

  const examples = COMMANDS.flatMap(withOwnExamples);
  it.each(examples)('%s: the example "%s" is understood', async (names, line) => {
    const called = await parse(line);
    expect(called).toHaveLength(1);
    expect(names).toContain(called[0]);
  });

  const ids = { fileId: 'g7fhpaqs', batchNo: 2, account: 'main', schedule: 'nightly' };
  const parts = [
    ...namesIn(ACTION_COMMANDS).map((action) => ({ action, ...ids })),
    ...namesIn(VIEW_COMMANDS).map((see) => ({ see, ...ids })),
    ...namesIn(HOST_COMMANDS).map((run) => ({ run, ...ids })),
  ];
  it.each(parts.map(commandOf))('understands "%s", as a next step may say', async (line) => {
    expect(await parse(line.replace('paydrop ', ''))).toHaveLength(1);
  });

  it('has an example for every command', () => {
    expect([...COMMANDS, ...RUNNING].filter((command) => command.examples.length === 0)).toEqual([]);
  });
});

/** Returns the names of the commands that run for a line. */
async function parse(line: string): Promise<string[]> {
  const called: string[] = [];
  const stubs = COMMANDS.map((command) => stub(command, called));
  const [plain = ''] = line.split(/ (?:\d?>|\|)/);
  const words = (plain.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''));
  await takeDown(() => makeProgram(stubs, () => {}).parseAsync(words, { from: 'user' }));
  return called;
}

function namesIn<Name extends string>(table: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(table) as Name[];
}

/** Returns the command names of a table and of each table below it. */
function namesOf(commands: readonly CliCommand[]): string[][] {
  const inner = commands.flatMap((command) => ('commands' in command ? namesOf(command.commands) : []));
  return [commands.map((command) => command.name), ...inner];
}

function leavesOf(command: CliCommand): CliCommand[] {
  return 'commands' in command ? command.commands.flatMap(leavesOf) : [command];
}

/** Returns the examples of a command and its subcommands, each with the command names it may run. */
function withOwnExamples(command: CliCommand): [names: string[], line: string][] {
  const names = leavesOf(command).map((leaf) => leaf.name);
  const inner = 'commands' in command ? command.commands.flatMap(withOwnExamples) : [];
  return [...command.examples.map((line): [string[], string] => [names, line]), ...inner];
}

function stub(command: CliCommand, called: string[]): CliCommand {
  if ('commands' in command) return { ...command, commands: command.commands.map((inner) => stub(inner, called)) };
  return {
    ...command,
    run: async (call: Call) => {
      called.push(command.name);
      return call.arguments.length;
    },
  };
}
