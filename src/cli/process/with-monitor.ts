import type { App } from '../../app.ts';

/** Serves the monitoring endpoints during `last`, if configured. */
export async function withMonitor<Result>(app: App, last: () => Promise<Result>): Promise<Result> {
  if (!app.settings.monitor) return last();
  // Loaded only now: other commands must not wait for a server that they do not need.
  const { openMonitor } = await import('../../web/monitor/open-monitor.ts');
  const monitor = await openMonitor(app, app.settings.monitor);
  app.log.info({ url: monitor.url }, 'health and figures are answered');
  try {
    return await last();
  } finally {
    await monitor.close();
  }
}
