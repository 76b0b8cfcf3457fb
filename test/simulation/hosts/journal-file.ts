import { readFile } from 'node:fs/promises';
import type { JournalEntry, JournalNote } from '../../../src/ledger/admission/send-journal.ts';
import type { Host } from './installation.ts';

export type JournalLine = JournalEntry | JournalNote;

/** Reads the whole lines of a send journal, without product code. */
export async function readLines(host: Host): Promise<JournalLine[]> {
  const text = await readFile(host.settings.paths.journal, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const parsed: unknown = JSON.parse(line);
      return typeof parsed === 'object' && parsed !== null ? [parsed as JournalLine] : [];
    } catch {
      return [];
    }
  });
}

export function isNote(line: JournalLine): line is JournalNote {
  return 'kind' in line;
}

/** Returns the id of a journal, once it has begun. */
export function idOf(lines: readonly JournalLine[]): string | undefined {
  const begin = lines.find((line) => isNote(line) && line.kind === 'begin');
  return begin && 'journal' in begin ? begin.journal : undefined;
}

/** Returns the calls in it, including those taken over from other journals, but not answers kept for later. */
export function callsOf(lines: readonly JournalLine[]): Set<string> {
  return new Set(lines.flatMap((line) => (isNote(line) || line.answer || !line.call ? [] : [line.call])));
}
