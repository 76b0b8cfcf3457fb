import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { callbackify } from 'node:util';
import { explainSystemError } from '../list-folder.ts';
import { openDraft, type OutputDraft } from './output-draft.ts';
import { publishDrafts, type Written } from './publish-drafts.ts';

export type OutputOptions = { dir: string; name: string; write: (out: Writable) => Promise<void> };

/**
 * Writes one output file from a stream, as described at `publishDrafts`. `write` need not end the stream.
 * @throws PipelineError as `publishDrafts` does; whatever `write` throws
 */
export async function writeOutput({ dir, name, write }: OutputOptions): Promise<Written> {
  const draft = await openDraft(dir, name);
  try {
    const out = streamInto(draft);
    await Promise.race([endAfter(write, out), failureOf(out)]);
    const [written] = await publishDrafts(dir, [draft]);
    return written!;
  } catch (error) {
    throw explainSystemError(error, draft.action);
  } finally {
    await draft.discard();
  }
}

async function endAfter(write: OutputOptions['write'], out: Writable): Promise<void> {
  try {
    await write(out);
    if (!out.writableEnded) out.end();
    await finished(out);
  } catch (error) {
    out.destroy();
    throw out.errored ?? error;
  }
}

/** Rejects on the first stream error. Without it, a writer waiting for `drain` on a full disk would wait forever. */
async function failureOf(out: Writable): Promise<never> {
  return await new Promise((_resolve, reject) => out.once('error', reject));
}

function streamInto(draft: OutputDraft): Writable {
  const append = callbackify((bytes: Buffer) => draft.append(bytes));
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => append(chunk, done),
    // Rows come one at a time; those that gathered while the disk was busy are written together.
    writev: (chunks, done) => append(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
  });
}
