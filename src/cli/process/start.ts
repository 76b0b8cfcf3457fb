import { EXIT } from '../../../schemas/errors.ts';
import { does, EVERY_ROLE, type Role, ROLES } from '../../../schemas/jobs.ts';
import { foldersHere, type Settings } from '../../config/config.ts';
import { type Call, type CliCommand, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { readPackageVersion } from '../package-version.ts';
import { aborted, withStopSignal } from './stop-signal.ts';
import { withApp } from './with-app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { App } from '../../app.ts';
import type { Log } from '../../kernel/log.ts';

export const start: CliCommand = {
  name: 'start',
  about: 'Watch the drop folders and process files until stopped with Ctrl-C or SIGTERM',
  options: [
    ['--roles <names>', 'roles of this process, separated by commas (also PAYDROP_ROLES); left out, all'],
    ['--site <name>', 'site of this process (also PAYDROP_SITE); left out, main'],
    ['--json', 'log JSON lines to a terminal, too'],
  ],
  notes: [
    'Processes on other hosts share the work when they use the same PostgreSQL. Each has roles:',
    ...Object.entries(ROLES).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`),
  ],
  examples: ['start', '--dir /srv/paydrop start 2>> paydrop.log', 'start --roles submit,poll'],
  async run(call) {
    const settings = settingsAt(call);
    const roles = readRoles(call.options['roles'] ?? process.env['PAYDROP_ROLES']);
    const hasFront = process.stderr.isTTY && !call.options['json'];
    const terminal = hasFront ? (await import('./front.ts')).openFront(settings) : undefined;
    const log = openCommandLog('info', terminal, roles.size === EVERY_ROLE.size ? 'all' : [...roles].join(','));
    const front = log.isLevelEnabled('info') ? terminal : undefined;
    try {
      // Listen from the beginning: a signal that kills the process during startup would leave the database running.
      return await withStopSignal((stop) => {
        let rest: ReturnType<typeof loadRest> | undefined;
        const load = () => (rest ??= loadRest(settings, roles));
        const meanwhile = () => void load();
        return withApp(settings, { log, env: process.env, meanwhile }, async (app) => {
          const { withWorkers, withDashboard } = await load();
          front?.open(app, does(roles, 'list') ? foldersHere(settings) : []);
          const running = async () => {
            const folders = does(roles, 'list') ? foldersHere(settings).map((folder) => folder.id) : [];
            const { site } = settings;
            log.info({ folders, site, roles: [...roles] }, 'paydrop is running');
            await warnOfRedis(settings, log);
            // Loaded now rather than when the first batch waits for it.
            await import('../../gateway/soap/load-wsdl.ts');
            await aborted(stop);
            app.health.noteStop();
            log.info('stopping: waiting for running calls, sending nothing new');
          };
          // Monitor and dashboard enclose the workers, so that they show the workers start and stop.
          await withMonitor(app, () =>
            withDashboard(app, roles, () => withWorkers(app, running, { roles, onScan: front?.watch })),
          );
          return EXIT.ok;
        });
      });
    } finally {
      await terminal?.close();
    }
  },
};

/** Loads most of the program, which takes as long as the database takes to start. */
async function loadRest(settings: Settings, roles: ReadonlySet<Role>) {
  const hasDashboard = settings.dashboard !== undefined && does(roles, 'web');
  const [{ withWorkers }, { withDashboard }] = await Promise.all([
    import('./with-workers.ts'),
    import('./with-dashboard.ts'),
    hasDashboard && import('../../web/open-dashboard.tsx'),
  ]);
  return { withWorkers, withDashboard };
}

/**
 * Logs settings of Redis that could lose jobs. They cost time, never money, so paydrop works in spite of them. A Redis
 * that does not answer is reported by the queue.
 */
export async function warnOfRedis({ redisUrl }: Pick<Settings, 'redisUrl'>, log: Log): Promise<void> {
  if (redisUrl === undefined) return;
  const [{ judgeRedis }, { inspectRedis }] = await Promise.all([
    import('../doctor/servers.ts'),
    import('../../queue/redis-connection.ts'),
  ]);
  const findings = await inspectRedis(redisUrl).then(judgeRedis, () => []);
  for (const { level, found, remedy } of findings) if (level !== 'ok') log.warn({ fix: remedy }, found);
}

function settingsAt(call: Call): Settings {
  const { site } = call.options;
  return settingsOf(call, typeof site === 'string' ? { ...process.env, PAYDROP_SITE: site } : process.env);
}

/**
 * Parses the roles of a process, such as `watch,submit`.
 * @param text empty or undefined means every role
 * @throws PipelineError USAGE
 */
export function readRoles(text: string | true | undefined): ReadonlySet<Role> {
  const names = String(text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return EVERY_ROLE;
  const strange = names.find((name) => !Object.hasOwn(ROLES, name));
  if (strange === undefined) return new Set(names as Role[]);
  throw new PipelineError('USAGE', `do the work of "${strange}"`, 'there is no such role', {
    next: `Choose from ${Object.keys(ROLES).join(', ')}, separated by commas, or leave it out for all.`,
  });
}

/** Serves the monitoring endpoints during `last`, if configured. */
export async function withMonitor<Result>(app: App, last: () => Promise<Result>): Promise<Result> {
  if (!app.settings.monitor) return last();
  // Loaded only now: other commands must not wait for a server that they do not need.
  const { openMonitor } = await import('../../web/monitor/open-monitor.ts');
  const monitor = await openMonitor(app, app.settings.monitor, readPackageVersion());
  app.log.info({ url: monitor.url }, 'the monitor is listening');
  try {
    return await last();
  } finally {
    await monitor.close();
  }
}
