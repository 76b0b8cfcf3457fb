import { mkdir, writeFile } from 'node:fs/promises';
import { renderAssets } from './assets/render-assets.ts';

/** `npm run assets`: writes what the dashboard takes from packages. A test fails when it is out of date. */
const folder = new URL('../src/web/', import.meta.url);
for (const [path, bytes] of await renderAssets()) {
  const file = new URL(path, folder);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, bytes);
  console.log(`src/web/${path}`);
}
