import { type OutputCheck, rebuildOutputs } from '../../workers/deliver/rebuild-outputs.ts';
import { makeFolders } from '../kernel/folders.ts';
import { byNumber, counted } from '../kernel/counted.ts';
import { PipelineError } from '../kernel/errors.ts';
import { readOutputs } from '../ledger/file/read-file.ts';
import type { FileRow, OutputRow } from '../ledger/engine/records.ts';
import type { ActionContext, AppAction, Listing } from './action.ts';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { App } from '../app.ts';
import { writeOutput } from '../files/outputs/write-output.ts';

/** Rebuilds the outputs and compares them with those in the out folder. */
export const checkOutputs: AppAction<'file'> = {
  needs: 'app',
  plan: async (context, { file }) => {
    const outputs = await mustHaveOutputs(context, file, 'check');
    return {
      says: [
        'Every output file is generated again from the ledger and the sealed original, and compared with the one in the out folder.',
        'Nothing in the out folder is changed. A large file takes a few minutes.',
      ],
      facts: factsOf(file, outputs),
    };
  },
  run: async (app, { file }) => {
    if (app.into !== undefined) await makeFolders(app.into, 0o700);
    const checks = await rebuildOutputs(app, file, app.into);
    const bad = checks.filter(({ onDisk, rebuilt }) => onDisk !== 'same' || rebuilt !== 'same');
    return {
      says:
        bad.length === 0
          ? 'Every output is intact.'
          : `${bad.length} of ${counted(checks.length, 'output')} ${byNumber(bad.length, 'is', 'are')} not intact.`,
      status: bad.length > 0 ? 'exception' : 'ok',
      details: hintsOf(checks),
      next: checks.some(isLost) ? [{ to: 'rebuild-outputs', file }] : [],
      listing: listingOf(checks),
      json: { fileId: file.file_id, name: file.name, outputs: checks },
    };
  },
};

/** Writes the missing outputs again; nothing that exists in the out folder is touched. */
export const rebuildMissing: AppAction<'file'> = {
  needs: 'app',
  plan: async (context, { file }) => {
    const outputs = await mustHaveOutputs(context, file, 'rebuild');
    return {
      says: [
        'Output files missing from the out folder are generated again from the ledger and the sealed original, byte for byte.',
        'Files in the out folder are left alone, changed or not. A large file takes a few minutes.',
      ],
      facts: factsOf(file, outputs),
    };
  },
  run: async (app, { file }) => {
    const { checks, restored } = await restoreOutputs(app, file);
    const left = checks.filter((check) => check.onDisk === 'missing' && !restored.includes(check.name));
    return {
      says: restored.length === 0 ? 'Nothing was restored.' : `Restored: ${restored.join(', ')}.`,
      status: left.length > 0 ? 'exception' : 'ok',
      details: left.map(({ name }) => `${name} cannot be generated again as it was.`),
      listing: listingOf(checks),
      json: { fileId: file.file_id, name: file.name, restored, outputs: checks },
    };
  },
};

async function mustHaveOutputs({ ledger }: ActionContext, file: FileRow, verb: string): Promise<OutputRow[]> {
  const outputs = await readOutputs(ledger, file.file_id);
  if (outputs.length > 0) return outputs;
  throw new PipelineError('MOVE_REFUSED', `${verb} the outputs of "${file.name}"`, 'no output was written yet', {
    next: 'They follow when the file is decided.',
  });
}

function factsOf(file: FileRow, outputs: readonly OutputRow[]) {
  return [
    ['File', file.name],
    ['Outputs', String(outputs.length)],
  ] as const;
}

function listingOf(checks: readonly OutputCheck[]): Listing {
  return {
    label: 'Outputs',
    titles: ['Output', 'In the out folder', 'Generated again'],
    rows: checks.map(({ name, onDisk, rebuilt }) => [name, onDisk, rebuilt]),
  };
}

function isLost({ onDisk, rebuilt }: OutputCheck): boolean {
  return onDisk === 'missing' && rebuilt === 'same';
}

function hintsOf(checks: readonly OutputCheck[]): string[] {
  const hints: readonly (readonly [applies: boolean, words: string])[] = [
    [checks.some(({ onDisk }) => onDisk === 'missing'), 'Missing: it was moved or removed.'],
    [
      checks.some(({ onDisk }) => onDisk === 'differs'),
      'Differs in the out folder: it was changed after paydrop wrote it.',
    ],
    [
      checks.some(({ rebuilt }) => rebuilt === 'differs'),
      'Differs when generated again: its settings or this version produce other content.',
    ],
  ];
  return hints.filter(([applies]) => applies).map(([, words]) => words);
}

/**
 * Restores the outputs of a file that are missing in the out folder, byte for byte as recorded in the ledger. Existing
 * ones, changed or not, are left alone, and so are those that cannot be reproduced exactly.
 * @returns what was found, and the names of the restored ones
 */
export async function restoreOutputs(app: App, file: FileRow): Promise<{ checks: OutputCheck[]; restored: string[] }> {
  const dir = await mkdtemp(join(app.settings.paths.data, 'rebuild-'));
  try {
    const checks = await rebuildOutputs(app, file, dir);
    const lost = checks.filter(({ onDisk, rebuilt }) => onDisk === 'missing' && rebuilt === 'same');
    for (const { name } of lost) {
      const write = (out: NodeJS.WritableStream) => pipeline(createReadStream(join(dir, name)), out, { end: false });
      await writeOutput({ dir: app.settings.paths.out, name, write });
    }
    return { checks, restored: lost.map(({ name }) => name) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
