import type { Role } from '../../../schemas/roles.ts';
import type { App } from '../../app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { isDeskNew } from '../../ledger/person/people.ts';
import { offerSetUpLink } from '../offer-set-up-link.ts';

/**
 * Serves the dashboard during `last`, if this process has the role. If the dashboard was not configured and its default
 * address is taken, payments go on without it.
 */
export async function withDesk<Result>(
  app: App,
  roles: ReadonlySet<Role>,
  last: (url?: string) => Promise<Result>,
): Promise<Result> {
  const { desk: settings } = app.settings;
  if (!settings || !roles.has('web')) return last();
  // Loaded only now: other commands must not wait for a server that they do not need.
  const { openDesk } = await import('../../web/open-desk.tsx');
  const desk = await openDesk(app, settings).catch((error: unknown) => {
    if (settings.isWanted || !(error instanceof PipelineError)) throw error;
    app.log.warn({ code: error.code }, `the desk stays closed: ${error.message}`);
    return undefined;
  });
  if (!desk) return last();
  try {
    app.log.info({ url: desk.url }, 'the desk is answered');
    if (await isDeskNew(app.ledger)) {
      const link = await offerSetUpLink(app.ledger, desk.url, 'the desk was started for the first time');
      // Not into the log, which is kept and read by many.
      console.log(`Set up the desk with this link. It works once, within a day:\n  ${link}`);
    }
    return await last(desk.url);
  } finally {
    await desk.close();
  }
}
