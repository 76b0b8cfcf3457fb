import type { FastifyInstance } from 'fastify';
import { useSession } from '../../ledger/person/sessions.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { readSessionToken } from '../access/session-cookie.ts';
import type { Desk } from '../desk.ts';
import { watchChanges } from './watch-changes.ts';

/** How often a page gets a keep-alive and its session is checked, in ms. */
const BEAT_MS = 20_000;

/**
 * Opens `GET /live`, server-sent events: `change` after any change, `over` when the session has ended. Events carry no
 * data; the page fetches itself again and gets what its user may see.
 */
export function openLive(server: FastifyInstance, desk: Desk): { close(): void } {
  const changes = watchChanges(desk.app.ledger);
  const open = new Set<() => void>();
  server.get('/live', (request, reply) => {
    const token = readSessionToken(request, desk);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    raw.write('retry: 3000\n\n');
    const say = (event: string) => raw.write(`event: ${event}\ndata: \n\n`);
    const deafen = changes.listen(() => say('change'));
    const beat = setInterval(() => {
      void isLoggedIn(desk, token).then((isIn) => {
        if (isIn) return raw.write(':\n\n');
        say('over');
        return end();
      });
    }, BEAT_MS);
    const end = () => {
      clearInterval(beat);
      deafen();
      open.delete(end);
      raw.end();
    };
    open.add(end);
    raw.on('close', end);
  });
  return {
    close: () => {
      for (const end of open) end();
      changes.close();
    },
  };
}

/** Returns true when the session cannot be checked; the next page request will find out. */
async function isLoggedIn({ app, settings }: Desk, token: string | undefined): Promise<boolean> {
  if (token === undefined) return false;
  const session = useSession(app.ledger, hashSecretToken(token), settings, { isPerson: false });
  return session.then(
    (found) => found !== undefined,
    () => true,
  );
}
