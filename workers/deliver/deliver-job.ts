import type { Payload } from '../../schemas/jobs.ts';
import type { App } from '../../src/app.ts';
import { deliverFile } from './deliver.ts';
import { runForSlice } from '../run-for-slice.ts';
import { noting } from '../note-failures.ts';
import { enqueueDeliveryAt } from '../enqueue.ts';

/**
 * Handles a `deliver` job: writes what is due for each of its files.
 * @param signal ends the time slice after the file being written
 */
export async function runDeliverJob(app: App, job: Payload<'deliver'>, signal: AbortSignal): Promise<void> {
  const askAgain = (fileIds: readonly string[]) => enqueueDeliveryAt(app, app.settings.site, fileIds);
  await runForSlice(app, job, { signal, askAgain }, (fileId) =>
    noting(app, { work: 'deliver', subject: fileId, fileId }, () =>
      app.telemetry.trace('deliver', { fileId }, () => deliverFile(app, { fileId })),
    ),
  );
}
