import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap small, for a process that runs for a long time beside others.
 * The young generation keeps its initial size. By default it grows to 48 MB, or twice that on newer versions of Node,
 * and never shrinks. It holds only short-lived objects of single files and calls; rows of large files are bytes, not
 * objects. The old generation is collected when it has grown by two fifths, not threefold.
 * These are process flags, because a running process has no setting for these sizes. V8 reads both flags before
 * growing, so they count from the moment they are set.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=40');
}
