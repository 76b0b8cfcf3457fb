import { extname, join } from 'node:path';
import { isNameTaken, type WaitingDrop, writeDrop } from '../../files/write-drop.ts';
import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import { forgetUpload, noteUpload } from '../../ledger/transfer/note-upload.ts';

/** A file to be written into its folder; `sha256` is that of the checked bytes. */
export type UploadedFile = { name: string; sha256: string; source: AsyncIterable<Uint8Array>; actor: string };

export type Taken =
  | { readonly is: 'dropped'; readonly uploadNo: number }
  | { readonly is: 'other-bytes' }
  /** With a free name. */
  | { readonly is: 'name-taken'; readonly free: string };

/**
 * Writes a file into its drop folder under a name that watchers ignore, compares it with the checked bytes, and renames
 * it in one step. The ledger records the upload before the rename, because the file may be claimed at once. A failure
 * leaves nothing in the folder.
 * @throws PipelineError DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING, LEDGER_UNREACHABLE; what the source throws
 */
export async function takeUpload(app: App, folder: Folder, file: UploadedFile): Promise<Taken> {
  const drop = await unlessTaken(() => writeDrop(folder, file.name, file.source));
  if (!drop) return nameTaken(folder, file.name);
  try {
    if (drop.sha256 !== file.sha256) return { is: 'other-bytes' };
    return await publishNoted(app, folder, file, drop);
  } finally {
    await drop.discard();
  }
}

async function publishNoted(
  app: App,
  folder: Folder,
  { name, actor }: UploadedFile,
  drop: WaitingDrop,
): Promise<Taken> {
  const { sha256, bytes } = drop;
  const upload = { account: folder.account, folder: folder.id, name: maskName(name), sha256, bytes, actor };
  const uploadNo = await noteUpload(app.ledger, upload);
  const isPublished = await unlessTaken(async () => {
    await drop.publish();
    return true;
  });
  if (isPublished) return { is: 'dropped', uploadNo };
  await forgetUpload(app.ledger, uploadNo, actor, 'not dropped: another file has the name');
  return nameTaken(folder, name);
}

async function unlessTaken<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'OUTPUT_EXISTS') return undefined;
    throw error;
  }
}

async function nameTaken(folder: Folder, name: string): Promise<Taken> {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  for (let number = 2; ; number += 1) {
    const free = `${stem}-${number}${ending}`;
    if (!(await isNameTaken(join(folder.path, free), folder.complete))) return { is: 'name-taken', free };
  }
}
