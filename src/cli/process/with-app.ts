import { type App, openApp } from '../../app.ts';
import type { Settings } from '../../config/config.ts';
import type { Log } from '../../kernel/log.ts';

/** Opens all parts, runs the work, and always closes them: an open server would keep the process alive. */
export async function withApp<Result>(
  settings: Settings,
  options: { log: Log; env: NodeJS.ProcessEnv; meanwhile?: () => void },
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const app = await openApp(settings, options);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
