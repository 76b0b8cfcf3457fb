import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Defect } from './defects.ts';

/** Returns the file's text with the defect, or why it cannot be made: the code has changed and the table has not. */
export function mutate(defect: Defect, text: string): { text: string } | { fault: string } {
  const times = text.split(defect.find).length - 1;
  if (times !== 1) return { fault: `"${defect.find.trim()}" stands ${times} times in ${defect.file}` };
  return { text: text.replace(defect.find, () => defect.replace) };
}

/**
 * Puts the defect into a copy of the tree.
 * @returns a function that takes it out again
 */
export function applyDefect(defect: Defect, tree: string): () => void {
  const path = join(tree, defect.file);
  const before = readFileSync(path, 'utf8');
  const mutated = mutate(defect, before);
  if ('fault' in mutated) throw new Error(mutated.fault);
  writeFileSync(path, mutated.text);
  return () => writeFileSync(path, before);
}
