import type { Writable } from 'node:stream';
import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import type { FileRow } from '../../src/ledger/records.ts';
import { writeOutputFile } from './write-output-file.ts';

/** An output whose whole text is at hand. */
export async function writeText(
  app: App,
  file: FileRow,
  kind: OutputKind,
  text: string,
  number?: number,
): Promise<void> {
  const write = async (out: Writable) => {
    out.write(text);
    return 0;
  };
  await writeOutputFile(app, file, kind, write, number);
}
