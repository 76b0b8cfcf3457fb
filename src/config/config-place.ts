import type { Document, LineCounter } from 'yaml';
import { PipelineError } from '../kernel/errors.ts';
import type { ShapeFault } from './explain-issue.ts';
import { offsetOf } from './plain-yaml.ts';
import { valueAt } from './schema-at.ts';

type Path = readonly PropertyKey[];

/**
 * Returns where a setting stands in its file, `line 9, column 5`. One that is missing has the place of what it belongs
 * to; undefined when nothing of it is in the file.
 * @param lines of the parsed text
 */
export function placeOfSetting(document: Document, lines: LineCounter, path: Path): string | undefined {
  const offset = offsetOf(document.contents, path);
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

/** What one of a list is called, with the setting that names it, if any. */
const LISTS: Readonly<Record<string, { one: string; name?: string }>> = {
  folders: { one: 'folder', name: 'path' },
  push: { one: 'push target', name: 'remote' },
  alarms: { one: 'alarm' },
};

/**
 * Names a setting for a user: `account of folder "drop/dues"`, `accounts.main.server`.
 * @param given the whole configuration as read
 */
export function nameOfSetting(path: Path, given: unknown): string {
  const [list, index, ...rest] = path.map(String);
  const kind = list === undefined ? undefined : LISTS[list];
  if (!kind || index === undefined) return path.join('.') || 'the file';
  const name = kind.name === undefined ? undefined : nameIn(given, [list!, index, kind.name]);
  const item = `${kind.one} ${name === undefined ? Number(index) + 1 : `"${name}"`}`;
  return rest.length === 0 ? item : `${rest.join('.')} of ${item}`;
}

function nameIn(given: unknown, path: Path): string | undefined {
  const name = valueAt(given, path);
  return typeof name === 'string' && !name.includes('\0') ? name : undefined;
}

/** Returns where a setting stands in the file; undefined when it is not there. */
export type Place = (path: Path) => string | undefined;

/** Names every fault with its setting and place; several get a line each. */
export function faultyError(
  code: 'CONFIG_INVALID' | 'RESTRICTED',
  file: string,
  faults: readonly ShapeFault[],
  given: unknown,
  place: Place,
): PipelineError {
  const told = faults.map(({ path, reason }) => {
    const setting = `${nameOfSetting(path, given)}: ${reason}`;
    const at = place(path);
    return at === undefined ? setting : `${at}: ${setting}`;
  });
  const reason = told.length === 1 ? told[0] : [`it has ${told.length} faults:`, ...told].join('\n  ');
  return new PipelineError(code, `use "${file}"`, reason);
}
