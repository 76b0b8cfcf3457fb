import { EXIT } from '../../../schemas/errors.ts';
import { ROLES } from '../../../schemas/roles.ts';
import { foldersHere, type Settings } from '../../config/config.ts';
import { type Call, type CliCommand, settingsOf } from '../command.ts';
import { compileLater } from '../process/compile-later.ts';
import { openCommandLog } from '../open-command-log.ts';
import { keepHeapSmall } from '../process/keep-heap-small.ts';
import { readRoles } from '../process/read-roles.ts';
import { aborted, withStopSignal } from '../process/stop-signal.ts';
import { withApp } from '../process/with-app.ts';
import { withDashboard } from '../process/with-dashboard.ts';
import { withMonitor } from '../process/with-monitor.ts';
import { withWorkers } from '../process/with-workers.ts';

export const start: CliCommand = {
  name: 'start',
  about: 'Watch the drop folders and do all the work, until stopped with Ctrl-C or SIGTERM',
  options: [
    ['--roles <names>', 'do only this here, separated by commas (also PAYDROP_ROLES); left out, everything'],
    ['--site <name>', 'where this process runs (also PAYDROP_SITE); left out, main'],
  ],
  notes: [
    'Processes on other hosts share the work when they use the same PostgreSQL. Each has roles:',
    ...Object.entries(ROLES).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`),
  ],
  examples: ['start', '--dir /srv/paydrop start 2>> paydrop.log', 'start --roles submit,poll'],
  async run(call) {
    keepHeapSmall();
    compileLater();
    const settings = settingsAt(call);
    const roles = readRoles(call.options['roles'] ?? process.env['PAYDROP_ROLES']);
    const log = openCommandLog();
    // Listen from the beginning: a signal that kills the process during startup would leave the database running.
    return withStopSignal((stop) =>
      withApp(settings, { log, env: process.env }, async (app) => {
        const running = async () => {
          const folders = roles.has('watch') ? foldersHere(settings).map((folder) => folder.id) : [];
          const { site } = settings;
          log.info({ folders, site, roles: [...roles], instance: app.ledger.instance.id }, 'paydrop is running');
          await aborted(stop);
          app.health.noteStop();
          log.info('stopping: nothing new is sent, running calls are awaited');
        };
        // Monitor and dashboard enclose the workers, so that they show the workers start and stop.
        await withMonitor(app, () => withDashboard(app, roles, () => withWorkers(app, running, roles)));
        return EXIT.ok;
      }),
    );
  },
};

function settingsAt(call: Call): Settings {
  const { site } = call.options;
  return settingsOf(call, typeof site === 'string' ? { ...process.env, PAYDROP_SITE: site } : process.env);
}
