import { type App, openApp } from '../../src/app.ts';
import { loadSettings } from '../../src/config/config.ts';
import { silentLog } from '../../src/kernel/log.ts';

/** Opens paydrop's parts in an installation, without its workers. */
export function openBenchApp(root: string): Promise<App> {
  return openApp(loadSettings(root, {}), { log: silentLog(), env: {} });
}
