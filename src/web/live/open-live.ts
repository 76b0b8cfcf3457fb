import type { FastifyInstance } from 'fastify';
import { useSession } from '../../ledger/person/sessions.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { readSessionToken } from '../access/cookies.ts';
import { Refusal } from '../access/refusal.ts';
import { viewerOf, type WebContext } from '../web-context.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';

/** How often a page gets a keep-alive and its session is checked, in ms. */
const BEAT_MS = 20_000;

/** Open pages of one user that are told of changes; further ones do not update themselves. */
const MOST_OF_PERSON = 10;

/**
 * Opens `GET /live`, server-sent events: `change` after any change, `over` when the session has ended. Events carry no
 * data; the page fetches itself again and gets what its user may see.
 */
export function openLive(server: FastifyInstance, context: WebContext): { close(): void } {
  const changes = watchChanges(context.app.ledger);
  const open = new Map<() => void, string>();
  server.get('/live', (request, reply) => {
    const { person } = viewerOf(request);
    if ([...open.values()].filter((one) => one === person).length >= MOST_OF_PERSON)
      throw new Refusal('TOO_MANY_PAGES');
    const token = readSessionToken(request, context);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    raw.write('retry: 3000\n\n');
    const say = (event: string) => raw.write(`event: ${event}\ndata: \n\n`);
    const deafen = changes.listen(() => say('change'));
    const beat = setInterval(() => {
      void isLoggedIn(context, token).then((isIn) => {
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
    open.set(end, person);
    raw.on('close', end);
  });
  return {
    close: () => {
      for (const end of open.keys()) end();
      changes.close();
    },
  };
}

/** Returns true when the session cannot be checked; the next page request will find out. */
async function isLoggedIn({ app, settings }: WebContext, token: string | undefined): Promise<boolean> {
  if (token === undefined) return false;
  const session = useSession(app.ledger, hashSecretToken(token), settings, { isPerson: false });
  return session.then(
    (found) => found !== undefined,
    () => true,
  );
}

type ChangeWatch = {
  /** @returns a function that stops listening */
  listen(onChange: () => void): () => void;
  close(): void;
};

/** How often the ledger is queried while there are listeners, in ms. */
const LOOK_EACH_MS = 1_000;

/**
 * Watches the end of the audit trail, because every move adds to it. All pages of the process share one query a second;
 * without an open page there is none.
 */
export function watchChanges(ledger: Ledger): ChangeWatch {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let last: number | undefined;
  const look = async () => {
    const seq = await readEnd(ledger).catch(() => last);
    if (seq !== last && last !== undefined) for (const onChange of listeners) onChange();
    last = seq;
    timer = listeners.size > 0 ? setTimeout(() => void look(), LOOK_EACH_MS) : undefined;
  };
  // Notifies a new listener once, because a page misses changes between its rendering and now.
  const catchUp = async (onChange: () => void) => {
    const seq = await readEnd(ledger).catch(() => undefined);
    last ??= seq;
    if (listeners.has(onChange)) onChange();
  };
  return {
    listen: (onChange) => {
      listeners.add(onChange);
      if (timer === undefined) {
        last = undefined;
        timer = setTimeout(() => void look(), LOOK_EACH_MS);
      }
      void catchUp(onChange);
      return () => {
        listeners.delete(onChange);
      };
    },
    close: () => {
      clearTimeout(timer);
      listeners.clear();
    },
  };
}

async function readEnd({ pool }: Ledger): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>('SELECT seq FROM audit_head');
  return rows[0]!.seq;
}
