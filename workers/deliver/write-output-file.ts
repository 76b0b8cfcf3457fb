import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { outputName } from '../../src/drop/output-name.ts';
import { writeOutput } from '../../src/drop/write-output.ts';
import { recordOutput } from '../../src/ledger/moves/complete-file.ts';
import type { FileRow } from '../../src/ledger/records.ts';

/**
 * Writes one output file and notes it in the ledger.
 * @param write puts the content out and answers how many rows it holds
 * @returns the path of the file
 */
export async function writeOutputFile(
  app: App,
  file: FileRow,
  kind: OutputKind,
  write: (out: Writable) => Promise<number>,
): Promise<string> {
  const [name, extension] = OUTPUT_KINDS[kind].suffix.split('.') as [string, 'csv' | 'json' | 'txt'];
  let rows = 0;
  const written = await writeOutput({
    dir: app.settings.paths.out,
    name: outputName(file.name, file.file_id, name, extension),
    write: async (out) => {
      rows = await write(out);
    },
  });
  const { sha256, bytes, path } = written;
  await recordOutput(app.ledger, file.file_id, { kind, name: basename(path), sha256, bytes, rows });
  return path;
}
