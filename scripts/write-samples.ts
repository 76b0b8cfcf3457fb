import { mkdir, writeFile } from 'node:fs/promises';
import { renderSamples } from './samples/render-samples.ts';

/** `npm run samples`: writes samples/ from the tables in scripts/samples. A test fails when they are out of date. */
const folder = new URL('../samples/', import.meta.url);
for (const [name, bytes] of await renderSamples()) {
  const file = new URL(name, folder);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, bytes);
  console.log(`samples/${name}`);
}
