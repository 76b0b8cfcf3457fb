import { startWorkers } from '../../../workers/main.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { openApp } from '../../app.ts';
import { type CliCommand, logOf, settingsOf } from '../command.ts';

export const start: CliCommand = {
  name: 'start',
  about: 'Watch the drop folders and do all the work, until stopped with Ctrl-C or SIGTERM',
  async run(call) {
    const settings = settingsOf(call);
    const log = logOf(settings);
    const app = await openApp(settings, { log, env: process.env });
    try {
      const workers = await startWorkers(app);
      log.info(
        { folders: settings.folders.map((folder) => folder.id), instance: app.ledger.instance.id },
        'paydrop is running',
      );
      await stopSignal();
      log.info('stopping: nothing new is sent, running calls are awaited');
      await workers.stop();
    } finally {
      await app.close();
    }
    return EXIT.ok;
  },
};

/** Resolves at the first signal; a second one ends the process at once, which is always safe. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
