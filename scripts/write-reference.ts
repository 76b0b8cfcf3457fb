import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { renewFaults } from './reference/faults.ts';
import { renderPages } from './reference/pages.ts';

/**
 * `npm run docs`: writes docs/reference from the tables in schemas/, and the fault table into docs/sandbox.md. A test
 * fails when they are out of date.
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
