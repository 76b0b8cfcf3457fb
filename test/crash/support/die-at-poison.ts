/**
 * Loaded into a process before the program: reading a dropped `poison….csv` kills the process, like a file that uses up
 * all memory or hits a fault of the runtime. The name says which reading: `poison-seal` dies when the claimed bytes are
 * sealed, every other when the sealed bytes are read again.
 */
import { readFileSync } from 'node:fs';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';

const { openSync } = fs;
const { open } = promises;

fs.openSync = (...call: Parameters<typeof openSync>) => {
  const path = String(call[0]);
  if (path.includes(`${sep}archive${sep}`) && call[1] === 'r') dieIf(nameOf(workFolderOf(path)), /^poison(?!-seal)/);
  dieAtOriginal(path);
  return openSync(...call);
};

promises.open = async (...call: Parameters<typeof open>) => {
  dieAtOriginal(String(call[0]));
  return open(...call);
};

syncBuiltinESMExports();

/** Returns the claim of a sealed original: both are named after the file's id. */
function workFolderOf(path: string): string {
  const [data = ''] = path.split(`${sep}archive${sep}`);
  return join(data, 'work', basename(path).split('.')[0]!);
}

function dieAtOriginal(path: string): void {
  if (basename(path) === 'original') dieIf(nameOf(dirname(path)), /^poison-seal/);
}

function nameOf(workFolder: string): string {
  try {
    return (JSON.parse(readFileSync(join(workFolder, 'claim.json'), 'utf8')) as { name: string }).name;
  } catch {
    return '';
  }
}

function dieIf(name: string, pattern: RegExp): void {
  if (pattern.test(name)) process.kill(process.pid, 'SIGKILL');
}
