import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';
import { replaceFile } from './replace-file.ts';
import type { ServerUser } from './server-user.ts';

/** Writes `WHERE.txt` into the data folder, unless it exists. Its second line is read back, the rest is for people. */
export async function leaveNote(dataDir: string, home: string, user: ServerUser | undefined): Promise<void> {
  if ((await readNote(dataDir)) !== undefined) return;
  await replaceFile(
    noteIn(dataDir),
    [
      'The PostgreSQL data of this folder live in',
      home,
      `because paydrop was started as root, PostgreSQL then runs as user "${user?.name}", and that user may not enter`,
      dataDir,
      'Back them up together with this folder, and keep this file: it is how paydrop finds its ledger.',
      '',
    ].join('\n'),
  );
}

/** @returns the home folder that the note names, empty when it names none; undefined when there is no note */
export async function readNote(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(noteIn(dataDir), 'utf8')).split('\n')[1] ?? '';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function noteIn(dataDir: string): string {
  return join(dataDir, 'WHERE.txt');
}
