import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of styles, scripts, icons and fonts. */
export const ASSETS_FOLDER = fileURLToPath(new URL('./assets/', import.meta.url));

/** Changes with any of the files, so that browsers may keep each address forever. */
export const ASSETS_PATH = `/assets/${hashFolder(ASSETS_FOLDER)}/`;

/** Returns the address of a file in `assets`. */
export function assetAt(name: string): string {
  return ASSETS_PATH + name;
}

function hashFolder(folder: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  for (const path of paths) hash.update(path.slice(folder.length)).update(readFileSync(path));
  return hash.digest('hex').slice(0, 12);
}
