import { readFile } from 'node:fs/promises';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import type { Given } from './read-input.ts';
import { readMoment } from './read-moment.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';

/**
 * Converts texts to the client's parameters, by the kind of each field. Unreadable values and unknown names are passed
 * on, so that the client's own check reports all of them at once.
 * @throws PipelineError USAGE for a batch file that cannot be read
 */
export async function toParameters(given: Given, timeZone: string): Promise<Record<string, unknown>> {
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    parameters[name] = typeof value === 'string' && isField(name) ? await readValue(name, value, timeZone) : value;
  }
  return parameters;
}

function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

async function readValue(name: FieldName, text: string, timeZone: string): Promise<unknown> {
  switch (FIELDS[name].kind) {
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'dateTime':
      return readMoment(text, timeZone);
    case 'base64':
      return readBatchFile(text);
    case 'text':
    case 'decimal':
    case 'digits':
    case 'enum':
    case 'expiry':
    case 'ipv4':
      return text;
  }
}

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
