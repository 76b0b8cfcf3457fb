import type { Payload } from '../../schemas/jobs.ts';
import type { App } from '../../src/app.ts';
import type { PlainFileRow } from '../../src/ledger/engine/records.ts';
import { mayOverlap } from '../../src/ledger/file/count-readings.ts';
import { runForSlice } from '../run-for-slice.ts';
import { noting } from '../note-failures.ts';
import { intakeAlone, tellOfIntake } from './intake.ts';
import { THREAD_BYTES } from './store-rows.ts';
import { enqueueIntake } from '../enqueue.ts';

/** Longest time in ms that later stages wait for files already taken in, plus the reading in progress. */
const NEWS_MS = 500;

/**
 * Handles an `intake` job: takes in its files and adds the jobs that follow, for several files together. Small files
 * are read a few at a time, because most of the time goes to waiting for the database.
 * @param signal ends the time slice after the file being read
 */
export async function runIntakeJob(
  app: App,
  job: Payload<'intake'>,
  signal: AbortSignal,
  sliceMs?: number,
): Promise<void> {
  let done: PlainFileRow[] = [];
  let toldAt = performance.now();
  const tell = async () => {
    const news = done;
    done = [];
    toldAt = performance.now();
    await tellOfIntake(app, news);
  };
  const askAgain = (fileIds: readonly string[]) => enqueueIntake(app, fileIds, app.settings.site);
  const atOnce = await chooseAtOnce(app, job);
  try {
    await runForSlice(app, job, { signal, askAgain, atOnce, sliceMs }, async (fileId, before) => {
      const item = { work: 'intake', subject: fileId, fileId } as const;
      const takeIn = () => intakeAlone(app, fileId, before);
      done.push(await noting(app, item, () => app.telemetry.trace('intake', { fileId }, takeIn)));
      if (performance.now() - toldAt >= NEWS_MS) await tell();
    });
  } finally {
    await tell();
  }
}

/** How many small files are read at a time. */
const SMALL_AT_ONCE = 3;

async function chooseAtOnce(app: App, { fileId, more = [] }: Payload<'intake'>): Promise<number> {
  return more.length > 0 && (await mayOverlap(app.ledger, [fileId, ...more], THREAD_BYTES)) ? SMALL_AT_ONCE : 1;
}
