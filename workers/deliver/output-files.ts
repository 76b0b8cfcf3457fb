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
  /** What was begun and is not published. */
  readonly begun: ReadonlyMap<OutputKind, Begun>;
  /** What was published, in that order. */
  readonly published: NewOutput[];
  /** Removes the drafts. */
  end(): Promise<void>;
};

type Begun = { kind: OutputKind; draft: OutputDraft; rows: number; isMarked: boolean };

/** Opens the outputs of a payment file. The caller ends them, whatever happens. */
export function openOutputs(app: App, file: ReadFileRow, number = 0): OutputFiles {
  const { out } = app.settings.paths;
  const begun = new Map<OutputKind, Begun>();

  async function append(kind: OutputKind, bytes: Uint8Array, rows = 0): Promise<void> {
    const name = nameOf(file, kind, number);
    const output = begun.get(kind) ?? { kind, rows: 0, draft: await openDraft(out, name), isMarked: false };
    begun.set(kind, output);
    output.rows += rows;
    if (!output.isMarked && needsMark(name, formOf(file, kind), bytes)) await addMark(out, output);
    await output.draft.append(bytes);
  }

  return {
    file,
    number,
    append,
    appendText: (kind, text, rows) => append(kind, Buffer.from(text), rows),
    begun,
    published: [],
    end: async () => {
      for (const { draft } of begun.values()) await draft.discard();
    },
  };
}

/**
 * Names the begun outputs of these kinds of several payment files, all together, and reads them back.
 * @param readBack receives the bytes of each as they are read back
 */
export async function publish(
  app: App,
  all: readonly OutputFiles[],
  kinds: readonly OutputKind[],
  readBack?: (outputs: OutputFiles, kind: OutputKind, bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const wanted = new Map(
    all.flatMap((outputs) =>
      kinds.flatMap((kind) => {
        const begun = outputs.begun.get(kind);
        return begun && outputs.published.every((one) => one.kind !== kind)
          ? [[begun.draft.name, { outputs, begun }] as const]
          : [];
      }),
    ),
  );
  const written = await publishDrafts(
    app.settings.paths.out,
    [...wanted.values()].map(({ begun }) => begun.draft),
    {
      makeRoom: (name, error) => setForgottenAside(app, wanted.get(name)!.outputs.file, name, error),
      ...(readBack && {
        readBack: (name, bytes) => readBack(wanted.get(name)!.outputs, wanted.get(name)!.begun.kind, bytes),
      }),
    },
  );
  for (const { name, sha256, bytes } of written) {
    const { outputs, begun } = wanted.get(name)!;
    outputs.published.push({ kind: begun.kind, number: outputs.number, name, sha256, bytes, rows: begun.rows });
  }
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
