import type { App } from '../../src/app.ts';
import type { Claim } from '../../src/files/claims/finish-claim.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import { DELIVER } from '../../workers/deliver/deliver.ts';
import { INTAKE } from '../../workers/intake/intake.ts';
import { ringAfter } from '../../workers/ring.ts';
import type { Stage } from '../../workers/stage.ts';
import { submitStage } from '../../workers/submit/submit.ts';
import { storeClaims } from '../../workers/watch/take-claim.ts';

/** A stage works on what is due. These work on one thing of a test, whatever else is due, through the same code. */

/**
 * Lets a stage work on one thing.
 * @throws what kept the stage from ending it
 */
async function workAlone<Thing>(app: App, stage: Stage<Thing>, thing: Thing): Promise<void> {
  const notEnded = await stage.work(app, [thing], {
    stop: new AbortController().signal,
    end: async () => {},
    fail: async () => {},
    trace: (_thing, work) => work(),
  });
  const why = notEnded.get(thing);
  if (typeof why === 'object') throw why.error;
  if (why === undefined) await stage.tell?.(app, [thing]);
}

/** Seals a claim, records it and rings for its intake. */
export async function takeClaim(app: App, claim: Claim): Promise<void> {
  const stored = (await storeClaims(app, [claim])).get(claim);
  if (typeof stored === 'object') throw stored.error;
  if (stored === 'stored') await ringAfter(app, 'intake');
}

/** Takes in a claimed file. */
export function intakeFile(app: App, { fileId }: { fileId: string }): Promise<void> {
  return workAlone(app, INTAKE, { fileId });
}

/**
 * Makes one call of the account of a batch, if that batch is ready. The call is of the account's next batch, which is this one
 * unless an earlier one is ready, too.
 */
export async function submitBatch(app: App, key: BatchKey): Promise<void> {
  const { state, account } = await readBatchRow(app.ledger, key);
  if (state !== 'ready') return;
  await workAlone(app, submitStage({ sliceMs: 0 }), { account });
}

/** Writes the outputs of a file that are due. */
export function deliverFile(app: App, { fileId }: { fileId: string }): Promise<void> {
  return workAlone(app, DELIVER, { fileId });
}
