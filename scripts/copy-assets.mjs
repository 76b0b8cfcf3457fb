import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Puts beside the compiled code what it reads at run time and tsc leaves behind: the files of src/ that are not
 * TypeScript (SQL above all), and the samples of the demo. Every file keeps its place, so `new URL('../../samples/',
 * import.meta.url)` finds the same folder from src/cli as from dist/src/cli.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
const assets = entries.filter((entry) => entry.isFile() && !/\.(?:tsx?|md)$/.test(entry.name));
for (const asset of assets) {
  const from = join(asset.parentPath, asset.name);
  await cp(from, join(root, 'dist', from.slice(root.length)));
}
await cp(join(root, 'samples'), join(root, 'dist', 'samples'), { recursive: true });
