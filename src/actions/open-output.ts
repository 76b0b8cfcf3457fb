import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { App } from '../app.ts';
import { openPlainFile } from '../files/open-plain-file.ts';
import type { FileRow, OutputRow } from '../ledger/engine/records.ts';

/**
 * An output file of the out folder, or why it is not handed out.
 * - `elsewhere`: its file was claimed at another site, and it is in the out folder there.
 * - `missing`: it was moved or removed.
 * - `differs`: it is not what was written and read back.
 */
export type OpenedOutput =
  | { readonly kind: 'open'; readonly bytes: number; readonly content: Readable }
  | { readonly kind: 'elsewhere'; readonly site: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'differs' };

/** Files up to this size are hashed before their first byte is handed out; for larger ones only the size is checked. */
export const HASHED_BYTES = 64 * 1024 * 1024;

/**
 * Opens an output as recorded in the ledger. Its path comes from that record alone. The content is the very file that
 * was hashed, even if its name is taken over meanwhile. The caller reads `content` to its end or destroys it.
 */
export async function openOutput(
  { settings }: Pick<App, 'settings'>,
  file: Pick<FileRow, 'site'>,
  { name, sha256, bytes }: Pick<OutputRow, 'name' | 'sha256' | 'bytes'>,
  hashedBytes = HASHED_BYTES,
): Promise<OpenedOutput> {
  if (file.site !== settings.site) return { kind: 'elsewhere', site: file.site };
  if (name !== basename(name)) return { kind: 'missing' };
  const handle = await openPlainFile(join(settings.paths.out, name));
  if (handle === undefined) return { kind: 'missing' };
  try {
    const { size } = await handle.stat();
    if (size !== bytes || (size <= hashedBytes && (await hashOf(handle)) !== sha256)) {
      await handle.close();
      return { kind: 'differs' };
    }
    // The stream closes the file at its end or when destroyed. It never yields more bytes than were recorded.
    return { kind: 'open', bytes, content: handle.createReadStream({ start: 0, end: Math.max(0, bytes - 1) }) };
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const content = handle.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>;
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}
