import { EXIT } from '../../../schemas/errors.ts';
import { type CliCommand, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { aborted, withStopSignal } from '../stop-signal.ts';
import { withApp } from '../with-app.ts';
import { withMonitor } from '../with-monitor.ts';
import { withWorkers } from '../with-workers.ts';

export const start: CliCommand = {
  name: 'start',
  about: 'Watch the drop folders and do all the work, until stopped with Ctrl-C or SIGTERM',
  examples: ['start', '--dir /srv/paydrop start 2>> paydrop.log'],
  async run(call) {
    const settings = settingsOf(call);
    const log = openCommandLog();
    // Heard from the beginning: a signal that ends the process while it starts would leave the database running.
    return withStopSignal((stop) =>
      withApp(settings, { log, env: process.env }, async (app) => {
        // Around the workers, so that whoever watches sees them begin and end.
        await withMonitor(app, () =>
          withWorkers(app, async () => {
            const folders = settings.folders.map((folder) => folder.id);
            log.info({ folders, instance: app.ledger.instance.id }, 'paydrop is running');
            await aborted(stop);
            app.pulse.noteStop();
            log.info('stopping: nothing new is sent, running calls are awaited');
          }),
        );
        return EXIT.ok;
      }),
    );
  },
};
