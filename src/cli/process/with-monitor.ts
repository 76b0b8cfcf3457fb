import type { App } from '../../app.ts';

/** Answers a monitoring program while something lasts, when the settings ask for it. */
export async function withMonitor<Result>(app: App, last: () => Promise<Result>): Promise<Result> {
  if (!app.settings.monitor) return last();
  // Loaded only now: no other command shall wait for a server that it does not need.
  const { openMonitor } = await import('../../web/monitor/open-monitor.ts');
  const monitor = await openMonitor(app, app.settings.monitor);
  app.log.info({ url: monitor.url }, 'health and figures are answered');
  try {
    return await last();
  } finally {
    await monitor.close();
  }
}
