import { readFile } from 'node:fs/promises';
import type { App } from '../../../src/app.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { ReadFileRow } from '../../../src/ledger/engine/records.ts';
import type { StepWorld } from './step-world.ts';
import { carryOut } from './resolve-context.ts';
import { takeIn } from './take-in.ts';

/** Makes a file with an outcome for every row that was sent, ready for delivery. */
export async function fileWithOutcomes(
  world: StepWorld,
  operation: string,
  content: string,
  messageOf: (row: number) => string,
  name?: string,
): Promise<ReadFileRow> {
  const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/${operation}`, content, name);
  await carryOut(world.app, fileId, messageOf);
  return readFileRow(world.app.ledger, fileId);
}

/** Returns an app in which every folder allows whole numbers in files meant to be dropped again. */
export function withClearNumbers(app: App): App {
  return { ...app, folder: (id) => ({ ...app.folder(id)!, clearNumbers: true }) };
}

/** Returns the lines of an output file, which must end in CRLF. */
export async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  if (!text.endsWith('\r\n')) throw new Error('the last line has no end');
  return text.slice(0, -2).split('\r\n');
}
