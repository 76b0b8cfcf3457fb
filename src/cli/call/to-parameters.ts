import { readFile } from 'node:fs/promises';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import type { TypedValues } from './gather-values.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { formatInZone, startOfDay } from '../../calendar/zone-time.ts';

/**
 * Converts texts to the client's parameters, by the kind of each field. Unreadable values and unknown names are passed
 * on, so that the client's own check reports all of them at once.
 * @throws PipelineError USAGE for a batch file that cannot be read
 */
export async function toParameters(given: TypedValues, timeZone: string): Promise<Record<string, unknown>> {
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
  const { kind } = FIELDS[name];
  if (kind === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : text;
  if (kind === 'dateTime') return readMoment(text, timeZone);
  return kind === 'base64' ? readBatchFile(text) : text;
}

/** @throws PipelineError USAGE when it is missing or cannot be read */
async function readBatchFile(path: string): Promise<Buffer> {
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

/** Converts a typed day to its first moment in the zone, in ISO 8601. Other text is left to the parameter check. */
export function readMoment(text: string, timeZone: string): string {
  const start = startOfDay(text.trim(), timeZone);
  return start ? isoInZone(start, timeZone) : text;
}

/** Does the same for the end of a range: a day becomes its last moment, so the whole day is included. */
export function readLastMoment(text: string, timeZone: string): string {
  const start = startOfDay(text.trim(), timeZone);
  if (!start) return text;
  const next = new Date(Date.parse(`${text.trim()}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  const end = startOfDay(next, timeZone) ?? new Date(start.getTime() + DAY_MS);
  return isoInZone(new Date(end.getTime() - 1), timeZone, '.999');
}

const DAY_MS = 86_400_000;

/**
 * Formats `2026-11-20T00:00:00-05:00`: the service may read the day from the text, and in UTC it could be another one.
 */
function isoInZone(at: Date, timeZone: string, fraction = ''): string {
  const [day, time, offset] = formatInZone(at, timeZone).split(' ');
  return `${day}T${time}${fraction}${offset}`;
}
