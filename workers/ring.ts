import type { QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { describeFailure } from '../src/queue/safe-failure.ts';

/**
 * Tells a stage that it has something to do. What that is stands in the ledger. A lost ring costs time, because every
 * process wakes its stages after each sweep; one too many does no harm.
 * @param site where the folder of the file lies, for a stage that works there; this site by default
 * @throws PipelineError QUEUE_UNREACHABLE
 */
export async function ring(app: App, stage: QueueName, site?: string): Promise<void> {
  await app.queue.ring(stage, site);
  crashPoint('queue.rung');
}

/** Rings for what follows work that is done. While the queue is away, the next sweep finds it. */
export async function ringAfter(app: App, stage: QueueName, site?: string): Promise<void> {
  await ring(app, stage, site).catch((error: unknown) =>
    app.log.warn(
      { stage },
      `the ring did not come through, and the stage finds it later: ${describeFailure(error).reason}`,
    ),
  );
}

/** Shortest time between two rings for things that come in quick succession, in ms. */
const RING_MS = 250;

/** Rings for things that come in quick succession: at the first, now and then, and at the end. */
export function ringNowAndThen(app: App, stage: QueueName): { more(): Promise<void>; end(): Promise<void> } {
  let isOpen = false;
  let rungAt = -Infinity;
  const end = async () => {
    if (!isOpen) return;
    isOpen = false;
    rungAt = performance.now();
    await ringAfter(app, stage);
  };
  return {
    more: async () => {
      isOpen = true;
      if (performance.now() - rungAt >= RING_MS) await end();
    },
    end,
  };
}
