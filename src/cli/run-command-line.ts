import { Command, CommanderError, Option } from 'commander';
import { type ErrorCode, EXIT } from '../../schemas/errors.ts';
import { maskText } from '../kernel/mask.ts';
import { type CliCommand, usualFolder } from './command.ts';
import { loadNamed } from './commands.ts';
import { paintFor } from './print/paint.ts';
import { readPackageVersion } from './package-version.ts';
import type { Feature } from '../feature.ts';
import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';
import { withRefusalExplained } from '../ledger/engine/explain-refusal.ts';
import { sayErr } from './print/say.ts';

/**
 * Runs a command line, given without Node and script names. Data goes to standard output, the rest to standard error.
 * @returns the exit status; it never throws
 */
export async function runCommandLine(words: readonly string[], features: readonly Feature[]): Promise<number> {
  let status: number = EXIT.ok;
  const finish = (answer: number) => {
    status = answer;
  };
  try {
    const program = makeProgram(await loadNamed(words, features), { finish, features });
    await program.parseAsync([...words], { from: 'user' });
    return status;
  } catch (error) {
    return explainError(error);
  }
}

/**
 * Builds commander's program from the command table.
 * @param whole.finish receives the exit status of the command that ran
 * @param whole.features those of this build
 */
export function makeProgram(commands: readonly CliCommand[], whole: Omit<Whole, 'program'>): Command {
  const program = new Command('paydrop')
    .description('Drop a CSV of card or bank payments, get it back reconciled.')
    .version(readPackageVersion())
    .option('--dir <folder>', 'folder of paydrop.yaml; also PAYDROP_DIR', usualFolder())
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf, commandUsage: usageOf })
    .configureOutput({ outputError: (text, write) => write(hideTyped(text)) })
    .showHelpAfterError('Run it with --help.')
    .exitOverride();
  program.addHelpText('after', `\n"paydrop <command> --help" shows examples.\n\n${describeExitCodes()}`);
  for (const command of commands) addCommand(program, command, { program, ...whole });
  return program;
}

/** Masks what errors of commander quote. It may hold a number, and a security code is too short for `maskText`. */
function hideTyped(text: string): string {
  return maskText(text.replace(/('--[^'=\s]+=)[^]*?'/g, "$1…'"));
}

/** Returns the names alone: commander would add aliases, and `[options]` to nearly every command. */
function termOf(command: Command): string {
  const takes = command.registeredArguments.map((taken) =>
    taken.required ? `<${taken.name()}>` : `[${taken.name()}]`,
  );
  return [command.name(), ...takes].join(' ');
}

function usageOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  return `${names.join(' ')} ${command.usage()}`;
}

type Whole = {
  readonly program: Command;
  readonly finish: (status: number) => void;
  readonly features: readonly Feature[];
};

function addCommand(parent: Command, command: CliCommand, whole: Whole): void {
  const added = parent.command(command.name).description(command.about);
  if (command.alias !== undefined) added.alias(command.alias);
  addOptions(added, command);
  added.showHelpAfterError(`Example: paydrop ${command.examples[0]}\nRun it with --help.`);
  const notes = (command.notes ?? []).map((note) => `\n${note}\n`).join('');
  added.addHelpText('after', `${notes}\nExamples:\n${command.examples.map((line) => `  paydrop ${line}`).join('\n')}`);
  if ('commands' in command) {
    for (const inner of command.commands) addCommand(added, inner, whole);
    added.usage('<command> [options]').helpCommand(false);
    return;
  }
  added.action(async () => {
    const dir = whole.program.opts()['dir'] as string;
    whole.finish(await command.run({ arguments: added.args, options: added.opts(), dir, features: whole.features }));
  });
}

function addOptions(added: Command, command: CliCommand): void {
  const { takes = [], required = [], options = [], groups = [], hidden = [] } = command;
  for (const [words, what] of takes) added.argument(words, what);
  for (const { title, options: grouped } of groups) {
    for (const [flags, what] of grouped) added.addOption(new Option(flags, what).helpGroup(title));
  }
  for (const [flags, what] of hidden) added.addOption(new Option(flags, what).hideHelp());
  for (const [flags, what] of required) added.requiredOption(flags, what);
  for (const [flags, what, fallback] of options) added.option(flags, what, fallback);
  const rest = options.length > 0 ? ['[options]'] : [];
  added.usage([...takes.map(([words]) => words), ...required.map(([flags]) => flags), ...rest].join(' '));
}

/** Meaning of each exit status, for the end of the help. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done, and nothing needs attention',
  usage: 'the command or the configuration has an error, or the name does not exist',
  invalid: 'a file or some of its rows are invalid; a call was declined or failed',
  held: 'a file waits for approval; with status: also something late',
  unknownOpen: 'outcome unknown: the service may or may not have taken a batch or call',
  exception: 'it failed, or a batch, a result or an account needs attention',
};

export function describeExitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return ['Exit status:', ...names.map((name) => `  ${EXIT[name]}  ${MEANINGS[name]}`)].join('\n');
}

/**
 * Explains every error in one sentence on standard error that says what to do next, never with a stack trace.
 * @returns the exit status
 */
export function explainError(thrown: unknown): number {
  const error = withRefusalExplained(thrown);
  // Commander has already printed it; help and version arrive as errors with status 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof PipelineError) {
    sayErr(error.message.replace(/^Cannot/, (word) => paintFor(process.stderr)('red', word)));
    return STATUS_OF[error.code] ?? EXIT.exception;
  }
  // A foreign message may quote the data it failed on.
  const isDenied = ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
  const says = maskText(reasonOf(error));
  sayErr(
    isDenied
      ? `This user lacks a permission: ${says}. Run it as the user that runs paydrop, or grant the permission.`
      : `An unexpected error occurred: ${says}`,
  );
  return EXIT.exception;
}

/** Exit status of errors that the user can fix; nothing was started. Any other is an exception. */
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  USAGE: EXIT.usage,
  CONFIG_MISSING: EXIT.usage,
  CONFIG_INVALID: EXIT.usage,
  RESTRICTED: EXIT.usage,
  NOT_FOUND: EXIT.usage,
  PROFILE_INVALID: EXIT.usage,
  SAMPLE_UNFIT: EXIT.invalid,
  SAMPLE_DIFFERS: EXIT.invalid,
  PROFILE_UNCONFIRMED: EXIT.held,
  RESOLUTION_REFUSED: EXIT.unknownOpen,
};
