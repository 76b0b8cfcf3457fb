import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Counts the rows of all results in an output folder, so that no contestant gains time by leaving rows out. */
export async function countResults(out: string): Promise<number> {
  let rows = 0;
  for (const name of await readdir(out)) {
    // The first line holds the titles.
    if (name.endsWith('.result.csv')) rows += (await countLines(join(out, name))) - 1;
  }
  return rows;
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}
