import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes a line and waits when the disk is behind, so that memory does not grow with the file. */
export async function putLine(out: Writable, line: string): Promise<void> {
  if (!out.write(line)) await once(out, 'drain');
}
