import { Command } from 'commander';
import { maskText } from '../kernel/mask.ts';
import type { CliCommand } from './command.ts';
import { describeExitCodes } from './exit-codes.ts';
import { readPackageVersion } from './package-version.ts';

/**
 * The command line as commander reads it, made from the table of commands.
 * @param finish hears the exit status of the command that ran
 */
export function makeProgram(commands: readonly CliCommand[], finish: (status: number) => void): Command {
  const program = new Command('paydrop')
    .description('Drop a CSV of card or bank payments, get it back reconciled.')
    .version(readPackageVersion())
    .option('--dir <folder>', 'folder of paydrop.yaml; also PAYDROP_DIR', process.env['PAYDROP_DIR'] || '.')
    .configureHelp({ showGlobalOptions: true })
    // What was typed is quoted in the error; it may hold a number.
    .configureOutput({ outputError: (text, write) => write(maskText(text)) })
    .showHelpAfterError('See --help.')
    .exitOverride();
  program.addHelpText('after', `\n"paydrop <command> --help" has examples.\n\n${describeExitCodes()}`);
  for (const command of commands) addCommand(program, command, finish);
  return program;
}

function addCommand(program: Command, command: CliCommand, finish: (status: number) => void): void {
  const { name, about, takes = [], required = [], options = [], examples } = command;
  const added = program.command(name).description(about);
  for (const [words, what] of takes) added.argument(words, what);
  for (const [flags, what] of required) added.requiredOption(flags, what);
  for (const [flags, what, fallback] of options) added.option(flags, what, fallback);
  const rest = options.length > 0 ? ['[options]'] : [];
  added.usage([...takes.map(([words]) => words), ...required.map(([flags]) => flags), ...rest].join(' '));
  added.addHelpText('after', `\nExamples:\n${examples.map((line) => `  paydrop ${line}`).join('\n')}`);
  added.action(async () => {
    const dir = program.opts()['dir'] as string;
    finish(await command.run({ arguments: added.args, options: added.opts(), dir }));
  });
}
