import { EXIT } from '../../../schemas/errors.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import type { App } from '../../app.ts';
import { fileSummaryTable, readFileSummaries } from '../print/file-summary.ts';
import { paydropLine } from '../print/paydrop-line.ts';

/** Returns the result of every file, then the output files of one as an example. */
export async function showResults(app: App): Promise<string> {
  const files = await readFileSummaries(app.ledger, new Date(0), app.settings.paths.out);
  const example = files.find((file) => file.state === 'completed');
  const count = files.reduce((sum, file) => sum + file.outputs.length, 0);
  return [
    fileSummaryTable(files),
    `${counted(count, 'output file')} ${byNumber(count, 'is', 'are')} in ${app.settings.paths.out}. Those of ${example?.name}:`,
    example?.outputs.map((path) => `  ${path}`).join('\n'),
  ].join('\n\n');
}

/**
 * Returns the verdict in words and as exit status.
 * @param differences as `compareBooks` names them
 */
export function concludeDemo(differences: readonly string[]): { text: string; status: number } {
  if (differences.length === 0) return { text: AGREE, status: EXIT.ok };
  return { text: ['The three do NOT agree:', ...differences].join('\n'), status: EXIT.exception };
}

const AGREE = 'The books of the service, the ledger and the output files agree, row by row and to the cent.';

/** Returns lines to paste, for a user who wants to see more. */
export function linesToTry(root: string): string {
  const commands = [['status'], ['show', 'card.csv'], ['find', '--invoice', 'C-1002']];
  const lines = commands.map((words) => `  ${paydropLine(['--dir', root, ...words])}`);
  return ['Look around:', ...lines, '', `Remove the folder ${root} when you are done.`].join('\n');
}
