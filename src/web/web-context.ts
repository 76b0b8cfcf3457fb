import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { DashboardSettings } from '../config/config-dashboard.ts';
import type { ActionName } from '../../schemas/actions.ts';
import type { Viewer } from './access/viewer.ts';
import type { DropLister } from './live/list-drops.ts';

/** What every route of the dashboard needs. */
export type WebContext = {
  readonly app: App;
  readonly settings: DashboardSettings;
  readonly drops: DropLister;
};

/** Returns the address of the dashboard for links that are sent to others, however this request came. */
export function addressOf({ settings }: WebContext, { protocol, host }: FastifyRequest): string {
  return settings.url ?? `${protocol}://${host}`;
}

/** Registers the routes of one subject with the server. */
export type Routes = (server: FastifyInstance, context: WebContext) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Permission needed for the route; `look` if omitted. `anybody` needs no log-in. */
    may?: ActionName | 'anybody';
  }
  interface FastifyRequest {
    viewer: Viewer | null;
  }
}

/** Returns who sends the request, on a route that requires a log-in. */
export function viewerOf({ viewer }: { viewer: Viewer | null }): Viewer {
  if (viewer === null) throw new Error('a route that needs a viewer lets anybody in');
  return viewer;
}
