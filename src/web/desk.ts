import type { FastifyInstance } from 'fastify';
import type { App } from '../app.ts';
import type { DeskSettings } from '../config/config-desk.ts';
import type { DeedName } from '../../schemas/desk.ts';
import type { Viewer } from './access/viewer.ts';

/** What every route of the desk works with. */
export type Desk = {
  readonly app: App;
  readonly settings: DeskSettings;
};

/** Routes of one subject, hung into the server. */
export type Routes = (server: FastifyInstance, desk: Desk) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a person must be allowed to do to get an answer here; left out, to look. `anybody` needs no log-in. */
    may?: DeedName | 'anybody';
    /** Whether a page asks for it by itself again and again, which is no sign that somebody sits before it. */
    isPolled?: boolean;
  }
  interface FastifyRequest {
    /** Who asks; null where nobody need be logged in. */
    viewer: Viewer | null;
  }
}

/** Who asks, on a route that only answers those who are logged in. */
export function viewerOf({ viewer }: { viewer: Viewer | null }): Viewer {
  if (viewer === null) throw new Error('a route that needs a viewer lets anybody in');
  return viewer;
}
