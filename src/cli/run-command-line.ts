import { EXIT } from '../../schemas/errors.ts';
import { COMMANDS } from './commands.ts';
import { explainError } from './explain-error.ts';
import { makeProgram } from './make-program.ts';

/**
 * Runs a command line, given without Node and script names. Data goes to standard output, the rest to standard error.
 * @returns the exit status; it never throws
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let status: number = EXIT.ok;
  const program = makeProgram(COMMANDS, (answer) => {
    status = answer;
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return status;
  } catch (error) {
    return explainError(error);
  }
}
