import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Ratios } from './ratios.ts';

const FILE = new URL('../ratios.json', import.meta.url);

/** Reads the ratios the guard compares with. Seconds would say more about the machine than about the program. */
export async function readCommittedRatios(): Promise<Ratios> {
  return z.record(z.string(), z.number()).parse(JSON.parse(await readFile(FILE, 'utf8')));
}

export async function writeCommittedRatios(ratios: Ratios): Promise<void> {
  const rounded = Object.fromEntries(
    Object.entries(ratios).map(([name, value]) => [name, Number(value.toPrecision(3))]),
  );
  await writeFile(FILE, `${JSON.stringify(rounded, null, 2)}\n`);
}
