import { does, type Role } from '../../../schemas/jobs.ts';
import type { App } from '../../app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { isDashboardNew } from '../../ledger/person/people.ts';
import { offerSetUp } from '../../ledger/person/invite-person.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { newLink } from '../../actions/new-link.ts';
import { operatorName } from '../option-values.ts';
import { sayOut } from '../print/say.ts';

/**
 * Serves the dashboard during `last`, if this process has the role. If the dashboard was not configured and its default
 * address is taken, payments go on without it.
 */
export async function withDashboard<Result>(
  app: App,
  roles: ReadonlySet<Role>,
  last: (url?: string) => Promise<Result>,
): Promise<Result> {
  const { dashboard: settings } = app.settings;
  if (!settings || !does(roles, 'web')) return last();
  // Loaded only now: other commands must not wait for a server that they do not need.
  const { openDashboard } = await import('../../web/open-dashboard.tsx');
  const dashboard = await openDashboard(app, settings).catch((error: unknown) => {
    if (settings.isWanted || !(error instanceof PipelineError)) throw error;
    app.log.warn({ code: error.code }, `the dashboard stays closed: ${error.message}`);
    return undefined;
  });
  if (!dashboard) return last();
  try {
    app.log.info({ url: dashboard.url }, 'the dashboard is listening');
    if (await isDashboardNew(app.ledger)) {
      const link = await offerSetUpLink(app.ledger, dashboard.url, 'the dashboard was started for the first time');
      // Not into the log, which is kept and read by many.
      sayOut(`Set up the dashboard with this link. It works once, within a day:\n  ${link}`);
    }
    return await last(dashboard.url);
  } finally {
    await dashboard.close();
  }
}

/**
 * Creates a link for setting up the first administrator of the dashboard.
 * @param url address of the dashboard
 */
export async function offerSetUpLink(ledger: Ledger, url: string, reason: string): Promise<string> {
  const { token, link } = newLink(ledger.clock.now());
  await offerSetUp(ledger, link, { actor: operatorName(), reason });
  return `${url}/set-up/${token}`;
}
