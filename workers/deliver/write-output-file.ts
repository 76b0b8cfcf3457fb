import { basename, join } from 'node:path';
import type { Writable } from 'node:stream';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { outputName } from '../../src/drop/output-name.ts';
import { setOutputAside } from '../../src/drop/set-output-aside.ts';
import { writeOutput } from '../../src/drop/write-output.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { recordOutput } from '../../src/ledger/moves/complete-file.ts';
import { readOutputs } from '../../src/ledger/queries/read-file.ts';
import type { FileRow } from '../../src/ledger/records.ts';

/**
 * Writes one output file and notes it in the ledger.
 * @param write puts the content out and answers how many rows it holds
 * @param number of a correction, from 1; the other kinds have 0
 * @returns the path of the file
 */
export async function writeOutputFile(
  app: App,
  file: FileRow,
  kind: OutputKind,
  write: (out: Writable) => Promise<number>,
  number = 0,
): Promise<string> {
  let rows = 0;
  const output = {
    dir: app.settings.paths.out,
    name: nameOf(file, kind, number),
    write: async (out: Writable) => {
      rows = await write(out);
    },
  };
  const { sha256, bytes, path } = await writeOutput(output).catch(async (error: unknown) => {
    await setForgottenAside(app, file, output.name, error);
    return writeOutput(output);
  });
  await recordOutput(app.ledger, file.file_id, { kind, number, name: basename(path), sha256, bytes, rows });
  crashPoint('output.recorded');
  return path;
}

/**
 * After an older ledger was put back, outputs of the time that it has forgotten may lie in the folder: of the same rows,
 * with other times. What the ledger does not know gives way under another name; what it does know is never touched.
 * @throws the error itself when it is another one, or the output is known
 */
async function setForgottenAside(app: App, file: FileRow, name: string, error: unknown): Promise<void> {
  if (!(error instanceof PipelineError) || error.code !== 'OUTPUT_EXISTS') throw error;
  const known = await readOutputs(app.ledger, file.file_id);
  if (known.some((output) => output.name === name)) throw error;
  const aside = await setOutputAside(app.settings.paths.out, name);
  app.log.error({ fileId: file.file_id, name, aside }, 'an output that the ledger does not know was set aside');
}

/** Where an output lies, or would. */
export function outputPath(app: App, file: FileRow, kind: OutputKind): string {
  return join(app.settings.paths.out, nameOf(file, kind, 0));
}

function nameOf(file: FileRow, kind: OutputKind, number: number): string {
  const { name, extension } = endingOf(kind, number);
  return outputName(file.name, file.file_id, name, extension);
}

/** Suffixes of corrections carry their number: `result.c01.csv`, the tenth is `result.c10.csv`. */
function endingOf(kind: OutputKind, number: number): { name: string; extension: 'csv' | 'json' | 'txt' } {
  const { suffix } = OUTPUT_KINDS[kind];
  const numbered = number === 0 ? suffix : suffix.replace('.c01.', `.c${String(number).padStart(2, '0')}.`);
  const [, name, extension] = /^(.+)\.(csv|json|txt)$/.exec(numbered)!;
  return { name: name!, extension: extension as 'csv' | 'json' | 'txt' };
}
