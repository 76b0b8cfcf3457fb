import { mkdir, writeFile } from 'node:fs/promises';
import { renderPages } from './reference/pages.ts';

/** Writes docs/reference from the tables in schemas/ (`npm run docs`). A test fails when the pages are older than them. */
const folder = new URL('../docs/reference/', import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(renderPages())) {
  await writeFile(new URL(name, folder), text);
  console.log(`docs/reference/${name}`);
}
