import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';
import { makeFolders } from '../../kernel/folders.ts';
import { parseLine } from './parse-line.ts';
import { matchMarks, openSendMarks } from './send-marks.ts';

/** The second copy of a send journal, on another disk or machine. */
export type JournalMirror = {
  readonly path: string;
  /** Returns once the text is on the mirror's disk. @throws PipelineError DISK_FULL or INTERNAL */
  append(text: string): Promise<void>;
  /** Does the same for the marks of a call (send-marks.ts). */
  keepMarks(call: string, marks: Buffer, at: Date): Promise<void>;
  close(): Promise<void>;
};

/** Longest wait for the mirror, in ms. A disconnected network drive may never answer. */
const ANSWER_MS = 10_000;

/**
 * Opens the mirror of a send journal and copies to each of the two the lines that only the other has. A machine
 * restored as a whole finds here what it has sent since.
 * @throws PipelineError when the mirror cannot be used, or belongs to another journal
 */
export async function openMirror(path: string, journal: string): Promise<JournalMirror> {
  const file = await inTime(path, openAndMatch(path, journal));
  try {
    // Without a time limit: there may be a year of marks to copy to a new mirror.
    await matchMarks(journal, path);
  } catch (error) {
    await file.close();
    throw refusal(path, systemCode(error) ?? reasonOf(error), undefined, error);
  }
  const marks = openSendMarks(path);
  // One write at a time: each one that waits for an absent drive blocks one of the few file threads.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (write: () => Promise<void>) => {
    const written = last.catch(() => {}).then(write);
    last = written;
    return inTime(path, written);
  };
  return {
    path,
    append: (text) =>
      inTurn(async () => {
        await file.appendFile(text);
        await file.datasync();
      }),
    keepMarks: (...call) => inTurn(() => marks.append(...call)),
    close: async () => {
      await answerInTime(ANSWER_MS, Promise.all([file.close(), marks.close()])).catch(() => {});
    },
  };
}

async function openAndMatch(path: string, journal: string): Promise<FileHandle> {
  await makeFolders(dirname(path), 0o700);
  const file = await open(path, 'a', 0o600);
  try {
    const { here, there } = await readBoth(path, journal);
    await add(file, missing(here.lines, there.lines));
    const late = missing(there.lines, here.lines);
    if (late.length > 0) await addTo(journal, late);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Checks what `openMirror` refuses because of the content of the mirror, and changes nothing. @throws PipelineError */
export async function checkMirror(path: string, journal: string): Promise<void> {
  await inTime(path, readBoth(path, journal));
}

async function readBoth(path: string, journal: string): Promise<{ here: Content; there: Content }> {
  const [here, there] = [await readAll(journal), await readAll(path)];
  if (isMirrorOf(there, here.begun[0])) return { here, there };
  const why =
    here.begun[0] === undefined
      ? `it belongs to a send journal that is missing from "${journal}"`
      : 'it belongs to another send journal';
  const next = `If the disk of this host was lost and no other host has its send journal, copy "${path}" to the place of the journal. Otherwise name another folder as "journal.mirror".`;
  throw refusal(path, why, next);
}

/**
 * Processes that begin a journal at once may name it in a different order there. One that dies in between has named it
 * only there, and has sent nothing.
 */
function isMirrorOf({ begun, lines }: Content, journal: string | undefined): boolean {
  return journal === undefined ? lines.size === begun.length : begun.length === 0 || begun.includes(journal);
}

/** The lines of a file, and the ids under which it was begun; the first one counts. */
type Content = { begun: string[]; lines: Set<string> };

/** Reads complete lines only: a truncated one never left, or is complete in the other copy. */
async function readAll(path: string): Promise<Content> {
  const lines = new Set<string>();
  const begun: string[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      const parsed: { kind?: string; journal?: string } | undefined = parseLine(line);
      if (parsed === undefined) continue;
      if (parsed.kind === 'begin' && !lines.has(line)) begun.push(parsed.journal!);
      lines.add(line);
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  return { begun, lines };
}

function missing(from: ReadonlySet<string>, inOther: ReadonlySet<string>): string[] {
  return [...from].filter((line) => !inOther.has(line));
}

async function add(file: FileHandle, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await file.appendFile(lines.map((line) => `\n${line}`).join(''));
  await file.datasync();
}

async function addTo(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, 'a');
  try {
    await add(file, lines);
  } finally {
    await file.close();
  }
}

function inTime<Answer>(path: string, answer: Promise<Answer>): Promise<Answer> {
  return answerInTime(ANSWER_MS, answer).catch((error: unknown) => {
    throw error instanceof PipelineError
      ? error
      : refusal(path, systemCode(error) ?? reasonOf(error), undefined, error);
  });
}

function refusal(path: string, why: string, next?: string, cause?: unknown): PipelineError {
  const code = systemCode(cause) === 'ENOSPC' ? 'DISK_FULL' : 'INTERNAL';
  return new PipelineError(code, `write the mirror of the send journal, "${path}"`, why, {
    next:
      next ??
      'Nothing is sent before it can be written again. Check its free space and permissions, or connect its drive.',
    cause,
  });
}
