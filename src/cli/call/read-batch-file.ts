import { readFile } from 'node:fs/promises';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';

/**
 * Reads a batch file.
 * @throws PipelineError USAGE when it is missing or cannot be read
 */
export async function readBatchFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const reason = REASONS[systemCode(error) ?? ''] ?? `it cannot be read (${systemCode(error) ?? 'unforeseen error'})`;
    throw new PipelineError('USAGE', `read "${maskText(path)}"`, reason, { next: 'Check the path.' });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
};
