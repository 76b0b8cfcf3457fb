import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { OutputForm } from '../../schemas/config.ts';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { type OutputDraft, openDraft } from '../../src/files/outputs/output-draft.ts';
import { type OutputExtension, outputName } from '../../src/files/outputs/output-name.ts';
import { publishDrafts, setOutputAside } from '../../src/files/outputs/publish-drafts.ts';
import type { PipelineError } from '../../src/kernel/errors.ts';
import type { NewOutput } from '../../src/ledger/file/complete-file.ts';
import { readOutputs } from '../../src/ledger/file/read-file.ts';
import type { FileRow, ReadFileRow } from '../../src/ledger/engine/records.ts';

/** Outputs of one payment file that are being written. */
export type OutputFiles = {
  readonly file: ReadFileRow;
  /** Of a correction, from 1; 0 for the other kinds. */
  readonly number: number;
  /** Appends bytes to an output, which begins with the first, and counts the rows they hold. */
  append(kind: OutputKind, bytes: Uint8Array, rows?: number): Promise<void>;
  appendText(kind: OutputKind, text: string, rows?: number): Promise<void>;
  /**
   * Flushes what was begun of these kinds and reads it back, if that was not done.
   * @param look receives the bytes of each as they are read back
   */
  readBack(kinds: readonly OutputKind[], look?: LookBack): Promise<void>;
  /** What was read back, in that order. */
  readonly written: readonly NewOutput[];
  /** Drafts of what was read back, in that order. */
  readonly drafts: readonly OutputDraft[];
  /** Removes the drafts of these kinds, of all by default. What was named stays. */
  drop(kinds?: readonly OutputKind[]): Promise<void>;
};

type LookBack = (kind: OutputKind, bytes: AsyncIterable<Buffer>) => Promise<void>;

type Begun = { kind: OutputKind; draft: OutputDraft; rows: number; isMarked: boolean; written?: NewOutput };

/** Opens the outputs of a payment file. The caller drops them at the end, whatever happens. */
export function openOutputs(app: App, file: ReadFileRow, number = 0): OutputFiles {
  const { out } = app.settings.paths;
  const begun = new Map<OutputKind, Begun>();
  const done: Begun[] = [];

  async function append(kind: OutputKind, bytes: Uint8Array, rows = 0): Promise<void> {
    const name = nameOf(file, kind, number);
    const output = begun.get(kind) ?? { kind, rows: 0, draft: await openDraft(out, name), isMarked: false };
    begun.set(kind, output);
    output.rows += rows;
    if (!output.isMarked && needsMark(name, formOf(file, kind), bytes)) await addMark(out, output);
    await output.draft.append(bytes);
  }

  async function readBack(kinds: readonly OutputKind[], look?: LookBack): Promise<void> {
    const flush = async (output: Begun) => {
      const { kind, draft } = output;
      const { sha256, bytes } = await draft.finish(look && ((pieces) => look(kind, pieces)));
      return { kind, number, name: draft.name, sha256, bytes, rows: output.rows };
    };
    const wanted = kinds.flatMap((kind) => begun.get(kind) ?? []).filter(({ written }) => !written);
    const written = await Promise.all(wanted.map(flush));
    // In the order of the kinds, whichever was flushed first.
    wanted.forEach((output, place) => {
      output.written = written[place]!;
      done.push(output);
    });
  }

  async function drop(kinds: readonly OutputKind[] = [...begun.keys()]): Promise<void> {
    for (const kind of kinds) {
      const output = begun.get(kind);
      begun.delete(kind);
      await output?.draft.discard();
    }
  }

  const kept = () => done.filter((output) => begun.get(output.kind) === output);
  return {
    file,
    number,
    append,
    appendText: (kind, text, rows) => append(kind, Buffer.from(text), rows),
    readBack,
    get written() {
      return kept().flatMap(({ written }) => written ?? []);
    },
    get drafts() {
      return kept().map(({ draft }) => draft);
    },
    drop,
  };
}

/** Names what was read back of several payment files, all together. */
export async function publish(app: App, all: readonly OutputFiles[]): Promise<void> {
  const ofName = new Map(all.flatMap(({ file, drafts }) => drafts.map(({ name }) => [name, file] as const)));
  await publishDrafts(
    app.settings.paths.out,
    all.flatMap(({ drafts }) => drafts),
    { makeRoom: (name, error) => setForgottenAside(app, ofName.get(name)!, name, error) },
  );
}

const MARK = Buffer.from('\ufeff');

/** Rows of a profile are returned in the form that it reads, which has its own mark or none. */
function formOf(file: FileRow, kind: OutputKind): OutputForm | null {
  const isReturned = file.profile_version !== null && (kind === 'rejects' || kind === 'retry');
  return isReturned ? null : file.output_form;
}

/** Returns whether a table needs a byte order mark, without which Excel takes its letters for others. */
function needsMark(name: string, form: OutputForm | null, bytes: Uint8Array): boolean {
  if (!form || !name.endsWith('.csv') || form.bom === 'never') return false;
  return form.bom === 'always' || !isAscii(bytes);
}

/** Puts the mark in front of an output. What is already written is copied, which few files need. */
async function addMark(out: string, output: Begun): Promise<void> {
  const { draft } = output;
  output.draft = await openDraft(out, draft.name);
  output.isMarked = true;
  await output.draft.append(MARK);
  for await (const piece of createReadStream(draft.temporary)) await output.draft.append(piece);
  await draft.discard();
}

/**
 * Renames an output that the ledger does not know. After an older ledger was restored, such outputs may remain: same
 * rows, other times. A known output is never touched.
 * @throws the error itself when the output is known
 */
async function setForgottenAside(app: App, file: FileRow, name: string, error: PipelineError): Promise<void> {
  const known = await readOutputs(app.ledger, file.file_id);
  if (known.some((output) => output.name === name)) throw error;
  const aside = await setOutputAside(app.settings.paths.out, name);
  app.log.error({ fileId: file.file_id, name, aside }, 'an output that is not in the ledger was moved aside');
}

/** Returns where an output lies, or would. */
export function outputPath(app: App, file: FileRow, kind: OutputKind): string {
  return join(app.settings.paths.out, nameOf(file, kind, 0));
}

function nameOf(file: FileRow, kind: OutputKind, number: number): string {
  const { name, extension } = endingOf(kind, number);
  return outputName(file.name, file.file_id, name, extension);
}

/** Returns name and extension. Corrections carry their number: `result.c01.csv`; the tenth is `result.c10.csv`. */
function endingOf(kind: OutputKind, number: number): { name: string; extension: OutputExtension } {
  const { suffix } = OUTPUT_KINDS[kind];
  const numbered = number === 0 ? suffix : suffix.replace('.c01.', `.c${String(number).padStart(2, '0')}.`);
  const [, name, extension] = /^(.+)\.(csv|json|txt|xlsx)$/.exec(numbered)!;
  return { name: name!, extension: extension as OutputExtension };
}
