import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the part of the heap where objects begin as small as it is at the start. Left alone it grows to 48 MB or, with newer
 * versions of Node, to twice that, and nothing of it is ever given back to a process that works all night. What begins
 * here are short-lived objects of single files and calls; the rows of large files are bytes and no objects.
 *
 * A flag of the process, because its size cannot be told to a process that runs: asked for at each growth, so it counts from
 * the moment it is set.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
