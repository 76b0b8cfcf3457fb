import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { commitOutputs, type MadeOutputs, type NewOutput, recordOutput } from '../../src/ledger/file/complete-file.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { ReadFileRow } from '../../src/ledger/engine/records.ts';
import { openOutputs, type OutputFiles, publish } from '../../workers/deliver/output-files.ts';

type Writing = OutputFiles & {
  publish(
    kinds: readonly OutputKind[],
    readBack?: (kind: OutputKind, bytes: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<void>;
};

/** Writes outputs of one file, and records those that `write` publishes. */
export async function writeOutputFiles(
  app: App,
  file: ReadFileRow,
  write: (outputs: Writing) => Promise<void>,
): Promise<void> {
  const outputs = openOutputs(app, file);
  try {
    await write({
      ...outputs,
      publish: async (kinds, readBack) => {
        await outputs.readBack(kinds, readBack);
        await publish(app, [outputs]);
      },
    });
    await recordOutput(app.ledger, { file }, ...outputs.written);
  } finally {
    await outputs.drop();
  }
}

/** Records the last outputs of a file. @returns whether it was completed */
export async function completeFile(
  ledger: Ledger,
  source: MadeOutputs['source'],
  evidence: Record<string, unknown>,
  outputs: readonly NewOutput[] = [],
): Promise<boolean> {
  const ends = await commitOutputs(ledger, [{ source, outputs, completes: { evidence } }]);
  return ends.get(source.file.file_id) === 'completed';
}
