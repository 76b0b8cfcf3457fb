import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import type { FileRow } from '../../src/ledger/records.ts';
import { writeOutputFile } from './write-output-file.ts';

/** An output whose whole text is at hand. */
export async function writeText(app: App, file: FileRow, kind: OutputKind, text: string): Promise<void> {
  await writeOutputFile(app, file, kind, async (out) => {
    out.write(text);
    return 0;
  });
}
