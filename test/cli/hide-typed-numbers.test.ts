import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliCommand } from '../../src/cli/command.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { explainError, makeProgram } from '../../src/cli/run-command-line.ts';
import { print } from '../../src/cli/command.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { runHere, takeDown } from './support/run-here.ts';
import { FEATURES } from '../../src/features.ts';

/**
 * No command echoes a card number, whichever argument or option a person types it into, and in whatever spelling. The
 * tests walk the tree of commands, so a new command is tested by itself.
 */
const SPELLINGS = ['4532015112830366', '4532 0151 1283 0366', '4532-0151-1283-0366', '4532.0151.1283.0366'];

/** Digits that would show the number, with or without signs between them. */
function showsNumber(text: string): boolean {
  return /4532015|0151128|1512830|2830366/.test(text.replace(/[\s.-]/g, ''));
}

/** Says everything that it was given, as data and in an error, as the most careless command would. */
function careless(command: CliCommand): CliCommand {
  if ('commands' in command) return { ...command, commands: command.commands.map(careless) };
  return {
    ...command,
    run: async (call) => {
      const given = JSON.stringify([call.arguments, call.options, call.dir]);
      print(call, { given: [call.arguments, call.options] }, () => given);
      throw new PipelineError('USAGE', `use ${given}`, given, { next: given });
    },
  };
}

type Leaf = { readonly path: readonly string[]; readonly command: Command };

function leavesOf(command: Command, path: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((inner) => leavesOf(inner, [...path, inner.name()]));
}

/** Command lines that give a number to each argument and each option of a command, one at a time, and to none. */
function linesOf({ path, command }: Leaf): ((number: string) => string[])[] {
  const args = command.registeredArguments;
  const needed = args.filter(({ required }) => required).map(() => 'x');
  const required = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, 'x']);
  const whole = [...path, ...needed, ...required];
  return [
    ...args.map((_, at) => (number: string) => [
      ...path,
      ...needed.slice(0, at),
      number,
      ...needed.slice(at + 1),
      ...required,
    ]),
    ...command.options.flatMap(({ long, required: needsValue, optional }) => [
      ...(needsValue || optional ? [(number: string) => [...whole, long!, number]] : []),
      (number: string) => [...whole, `${long}=${number}`],
    ]),
    (number) => [...whole, `--${number}`],
    (number) => [...whole, `-${number}`],
    (number) => [...whole, 'x', 'x', 'x', number],
    (number) => ['--dir', number, ...whole],
  ];
}

const commands = (await loadCommands(FEATURES)).map(careless);
const leaves = leavesOf(makeProgram(commands, { finish: () => {}, features: FEATURES }));

async function printed({ path: [first] }: Leaf, line: readonly string[]): Promise<string> {
  const named = commands.filter(({ name }) => name === first);
  const { out, err } = await takeDown(async () => {
    try {
      await makeProgram(named, { finish: () => {}, features: FEATURES }).parseAsync([...line], { from: 'user' });
    } catch (error) {
      explainError(error);
    }
  });
  return `${out}\n${err}`;
}

describe('a whole card number', () => {
  it('is given to every command', () => {
    expect(leaves.length).toBeGreaterThan(50);
    expect(leaves.map(({ path }) => path.join(' '))).toContain('profile check');
  });

  it.each(leaves.map((leaf) => [leaf.path.join(' '), leaf] as const))(
    'is echoed neither by the messages nor by the data of %s',
    async (_name, leaf) => {
      for (const [index, linesOfPlace] of linesOf(leaf).entries()) {
        // Each place gets one spelling; over all commands, every kind of place gets all of them.
        const line = linesOfPlace(SPELLINGS[(index + leaf.path.join(' ').length) % SPELLINGS.length]!);
        const text = await printed(leaf, line);
        expect(text.length, line.join(' ')).toBeGreaterThan(1);
        expect(showsNumber(text), `${line.join(' ')}: ${text}`).toBe(false);
      }
    },
  );

  it.each(SPELLINGS)('is echoed by no unknown command: %s', async (number) => {
    for (const line of [[number], ['help', number], [`--${number}`], ['profile', number], ['status', '--', number]]) {
      const { out, err } = await runHere(line);
      expect(showsNumber(`${out}${err}`), `${line.join(' ')}: ${out}${err}`).toBe(false);
    }
  });
});

describe('the commands that echoed one', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop-typed-'));
    const login = { agentCode: 'TEST88', password: 'TEST88' };
    await writeFile(
      join(root, 'paydrop.yaml'),
      JSON.stringify({
        accounts: { main: { server: 'NA', country: 'US', currency: 'USD', ...login } },
        folders: [{ path: 'drop', account: 'main', operation: 'card' }],
      }),
      { mode: 0o600 },
    );
  });
  afterAll(() => rm(root, { recursive: true }));

  it('mask it in the title of a profile and in a day', async () => {
    const number = '4532 0151 1283 0366';
    const profile = join(root, 'club.yaml');
    await writeFile(profile, `profile: club\nlayout: card\ncolumns:\n  invoice: ${number}\n  amount: [${number}]\n`);
    for (const words of [
      ['profile', 'check', profile],
      ['report', '--day', number],
      ['why', number],
    ]) {
      const { out, err } = await runHere(['--dir', root, ...words]);
      expect(`${out}${err}`).not.toBe('');
      expect(showsNumber(`${out}${err}`), `${words.join(' ')}: ${out}${err}`).toBe(false);
    }
  });
});
