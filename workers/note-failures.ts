import type { App } from '../src/app.ts';
import { PipelineError } from '../src/kernel/errors.ts';
import { maskName, maskText } from '../src/kernel/mask.ts';
import {
  endFailure,
  listFailing,
  noteFailure,
  type WorkFault,
  type WorkItem,
} from '../src/ledger/alarm/note-failure.ts';
import { describeFailure } from '../src/queue/safe-failure.ts';

/**
 * Does a piece of work and records in the ledger when it fails and when it succeeds again, so that lasting failures
 * show.
 * @param againMs when it is retried, in ms; the sweep adds jobs for what the ledger says is due
 */
export async function noting<Result>(
  app: App,
  item: WorkItem,
  go: () => Promise<Result>,
  againMs = app.settings.sweepMs,
): Promise<Result> {
  try {
    const result = await go();
    await noteEnd(app, item);
    return result;
  } catch (error) {
    await noteThrown(app, item, error, againMs);
    throw error;
  }
}

/** Records what work failed with. */
export async function noteThrown(
  app: App,
  item: WorkItem,
  error: unknown,
  againMs = app.settings.sweepMs,
): Promise<void> {
  return note(app, item, faultOf(error), againMs);
}

/** Records a failure without an error, such as a call that reached no server. */
export async function note(app: App, item: WorkItem, fault: WorkFault, againMs: number): Promise<void> {
  app.health.failing.add(keyOf(item));
  await noteFailure(app.ledger, item, fault, againMs).catch((error: unknown) =>
    // Without the ledger nothing goes on, and that has its own alarm.
    app.log.debug({ work: item.work }, `a failure could not be recorded: ${describeFailure(error).reason}`),
  );
}

export async function noteEnd(app: App, item: WorkItem): Promise<void> {
  const key = keyOf(item);
  if (!app.health.failing.has(key)) return;
  try {
    await endFailure(app.ledger, item);
    app.health.failing.delete(key);
  } catch (error) {
    // The work itself has succeeded. Its next success ends the entry; where none follows, the entry expires.
    app.log.debug({ work: item.work }, `the end of a failure could not be recorded: ${describeFailure(error).reason}`);
  }
}

/** Returns the work of taking a drop into the ledger. @param name as its sender named it */
export function takingOf(folder: { id: string; account: string }, name: string): WorkItem {
  return { work: 'watch', subject: `${folder.id}, "${maskName(name)}"`, account: folder.account };
}

/** Reloads the failing work: a success in any process ends a failure, so each process must know them all. */
export async function refreshFailing(app: App): Promise<void> {
  const listed = await listFailing(app.ledger);
  app.health.failing.clear();
  for (const key of listed) app.health.failing.add(key);
}

function faultOf(error: unknown): WorkFault {
  if (error instanceof PipelineError) return { code: error.code, reason: error.message };
  const { code, reason } = describeFailure(error);
  return { code, reason: maskText(reason) };
}

function keyOf({ work, subject }: WorkItem): string {
  return `${work} ${subject}`;
}
