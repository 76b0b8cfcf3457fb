import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { renewFaults } from './reference/faults.ts';
import { renderPages } from './reference/pages.ts';

/**
 * Writes docs/reference from the tables in schemas/, and the table of faults into docs/sandbox.md (`npm run docs`). A
 * test fails when they are older than the tables.
 */
const folder = new URL('../docs/reference/', import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(renderPages())) {
  await writeFile(new URL(name, folder), text);
  console.log(`docs/reference/${name}`);
}

const sandboxPage = new URL('../docs/sandbox.md', import.meta.url);
await writeFile(sandboxPage, renewFaults(await readFile(sandboxPage, 'utf8')));
console.log('docs/sandbox.md');
