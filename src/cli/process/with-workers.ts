import type { Role } from '../../../schemas/roles.ts';
import { startWorkers, type Workers } from '../../../workers/main.ts';
import type { App } from '../../app.ts';

/** Runs the workers during `last`. Afterwards nothing new starts, and running calls are awaited. */
export async function withWorkers<Result>(
  app: App,
  last: (workers: Workers) => Promise<Result>,
  roles?: ReadonlySet<Role>,
): Promise<Result> {
  const workers = await startWorkers(app, roles);
  try {
    return await last(workers);
  } finally {
    await workers.stop();
  }
}
