import type { App } from '../../src/app.ts';
import { runOnce } from '../../workers/stage.ts';
import { submitStage } from '../../workers/submit/submit.ts';

/** Sends every batch that may leave now. */
export async function sendBatches(app: App): Promise<void> {
  while ((await runOnce(app, submitStage({ sliceMs: Infinity }))) > 0);
}
