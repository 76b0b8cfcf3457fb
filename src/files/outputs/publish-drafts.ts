import { linkSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { explained, lstatOrNothing } from '../list-folder.ts';
import { hashFile } from '../open-plain-file.ts';
import { type FileMark, markOf, type OutputDraft } from './output-draft.ts';
import { syncFolder } from '../../kernel/folders.ts';

export type Written = { name: string; path: string; sha256: string; bytes: number };

/** Optional hooks of the caller. */
export type PublishOptions = {
  /**
   * Moves a different file that has the name of an output, or throws if it must stay. Without this hook all such files
   * stay.
   */
  makeRoom?: (name: string, error: PipelineError) => Promise<void>;
  /** Receives the bytes of each output as they are read back, to the end. Each piece is overwritten by the next. */
  readBack?: (name: string, bytes: AsyncIterable<Buffer>) => Promise<void>;
};

/**
 * Gives drafts in one folder their final names. Each output is absent or complete at any instant and never replaces
 * another file. It is read back before it is named. Afterwards the name is checked to lead to that same, unmodified
 * file. A file of that name with the same bytes counts as success: an earlier process published it and died before
 * recording that.
 * The slow disk writes run concurrently for all drafts, and the folder is synced once.
 * @throws PipelineError OUTPUT_EXISTS, OUTPUT_MISMATCH, DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING
 */
export async function publishDrafts(
  dir: string,
  drafts: readonly OutputDraft[],
  options: PublishOptions = {},
): Promise<Written[]> {
  const { readBack } = options;
  await Promise.all(drafts.map((draft) => draft.finish(readBack && ((bytes) => readBack(draft.name, bytes)))));
  const isOurs = new Set<OutputDraft>();
  for (const draft of drafts) {
    if (await explained(draft.action, () => nameDraft(dir, draft, options))) isOurs.add(draft);
    crashPoint('output.published');
  }
  if (drafts[0]) await explained(drafts[0].action, () => syncFolder(dir));
  return Promise.all(
    drafts.map((draft) => explained(draft.action, () => checkPublished(dir, draft, isOurs.has(draft)))),
  );
}

async function nameDraft(dir: string, draft: OutputDraft, { makeRoom }: PublishOptions): Promise<boolean> {
  const path = join(dir, draft.name);
  if (await publishFile(draft.temporary, path)) return true;
  if (!makeRoom || (await hashFile(path)) === (await draft.finish()).sha256) return false;
  await makeRoom(draft.name, new PipelineError('OUTPUT_EXISTS', draft.action));
  return publishFile(draft.temporary, path);
}

async function checkPublished(dir: string, draft: OutputDraft, isOurs: boolean): Promise<Written> {
  const { name, action } = draft;
  const path = join(dir, name);
  const { mark, ...content } = await draft.finish();
  if (!isOurs || markAt(path) !== mark) {
    // Not the verified file, or changed since: its current content decides.
    const found = await hashFile(path);
    if (found !== content.sha256) throw new PipelineError(isOurs ? 'OUTPUT_MISMATCH' : 'OUTPUT_EXISTS', action);
  }
  crashPoint('output.read-back');
  return { name, path, ...content };
}

function markAt(path: string): FileMark | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && markOf(stats);
}

/**
 * Renames a file in the out folder to a name that no output uses, so that the right one can be written. Nothing is
 * deleted, and the file stays on its disk.
 * @returns the new name, `<name>.<8 hex digits>.forgotten`
 * @throws PipelineError FOLDER_NOT_WRITABLE, FOLDER_MISSING
 */
export async function setOutputAside(dir: string, name: string): Promise<string> {
  const aside = `${name}.${randomBytes(4).toString('hex')}.forgotten`;
  return explained(`set aside the output "${name}"`, async () => {
    await rename(join(dir, name), join(dir, aside));
    await syncFolder(dir);
    return aside;
  });
}

/**
 * Gives a file its final name unless that is taken. A link refuses a taken name atomically; a file system without links
 * needs a check and a rename. The temporary name may remain; the caller removes it.
 * @returns whether the file under the final name is the one just written
 */
export async function publishFile(temporary: string, path: string): Promise<boolean> {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(systemCode(error) ?? '')) throw error;
  }
  if ((await lstatOrNothing(path)) !== undefined) return false;
  await rename(temporary, path);
  return true;
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
