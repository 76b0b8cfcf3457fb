#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { EXIT } from '../../schemas/errors.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import { COMMANDS } from './commands.ts';
import { readPackageVersion } from './package-version.ts';

/** The command line. Data goes to standard output, everything else to standard error; exit status as in EXIT (F83). */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('paydrop')
    .description('Drop a CSV of card or bank payments, get it back reconciled.')
    .version(readPackageVersion())
    .option('--dir <folder>', 'folder of paydrop.yaml', process.env['PAYDROP_DIR'] ?? '.')
    .showHelpAfterError('See --help.')
    .exitOverride();
  let status: number = EXIT.ok;
  for (const command of COMMANDS) {
    const added = program.command(command.name).description(command.about).exitOverride();
    for (const [flags, about, fallback] of command.options ?? []) added.option(flags, about, fallback);
    for (const [flags, about] of command.required ?? []) added.requiredOption(flags, about);
    added.action(async (...given: unknown[]) => {
      const positional = given.slice(0, -2) as string[];
      status = await command.run({
        arguments: positional,
        options: added.opts(),
        dir: program.opts()['dir'] as string,
      });
    });
  }
  await program.parseAsync(argv as string[]);
  return status;
}

/** Every error ends here: one line that says what to do next, and never a stack trace or a value from a file. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof PipelineError) {
    console.error(error.message);
    return USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.exception;
  }
  console.error(`Something unforeseen went wrong: ${reasonOf(error)}`);
  return EXIT.exception;
}

const USAGE_CODES: ReadonlySet<string> = new Set([
  'USAGE',
  'CONFIG_MISSING',
  'CONFIG_INVALID',
  'RESTRICTED',
  'NOT_FOUND',
]);

process.exitCode = await main(process.argv).catch(explain);
