import type { FastifyInstance } from 'fastify';
import { useSession } from '../../ledger/person/sessions.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { readSessionToken } from '../access/cookies.ts';
import { Refusal } from '../access/refusal.ts';
import { viewerOf, type WebContext } from '../web-context.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readSettledEnd } from '../../ledger/overview/list-audit.ts';

/** How often a page gets a keep-alive and its session is checked, in ms. */
const BEAT_MS = 20_000;

/** Open pages of one user that are told of changes; further ones do not update themselves. */
const MOST_OF_PERSON = 10;

/**
 * Opens `GET /live`, server-sent events: `change` after any change, `over` when the session has ended. A change carries
 * the ids of the files, or `*` when it is not of files alone; the page fetches itself again and gets what its user may
 * see.
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
    // nginx would otherwise hold events back until it has a buffer full.
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    raw.write('retry: 3000\n\n');
    const say = (event: string, data: string) => raw.write(`event: ${event}\ndata: ${data}\n\n`);
    const deafen = changes.listen((files) => say('change', files.join(' ')));
    const beat = setInterval(() => {
      void isLoggedIn(context, token).then((isIn) => {
        if (isIn) return raw.write(':\n\n');
        say('over', '');
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

type OnChange = (files: readonly string[]) => void;

type ChangeWatch = {
  /**
   * @param onChange gets the ids of the files that changed, or `ANY`
   * @returns a function that stops listening
   */
  listen(onChange: OnChange): () => void;
  close(): void;
};

/** A change of an account or a person, or of more files than it pays to list. */
const ANY = ['*'] as const;
const MOST_FILES = 20;

/** How often the ledger is queried while there are listeners, in ms. */
const LOOK_EACH_MS = 1_000;

/**
 * Watches the end of the audit trail, because every move adds to it. All pages of the process share one query a second;
 * without an open page there is none.
 */
export function watchChanges(ledger: Ledger): ChangeWatch {
  const listeners = new Set<OnChange>();
  let timer: NodeJS.Timeout | undefined;
  let last: number | undefined;
  const look = async () => {
    const seq = await readSettledEnd(ledger).catch(() => last);
    if (seq !== undefined && last !== undefined && seq > last) {
      const files = await readChanged(ledger, last).catch(() => ANY);
      for (const onChange of listeners) onChange(files);
    }
    // It may be a little smaller than the last time.
    if (seq !== undefined) last = Math.max(last ?? seq, seq);
    timer = listeners.size > 0 ? setTimeout(() => void look(), LOOK_EACH_MS) : undefined;
  };
  // Notifies a new listener once, because a page misses changes between its rendering and now.
  const catchUp = async (onChange: OnChange) => {
    const seq = await readSettledEnd(ledger).catch(() => undefined);
    last ??= seq;
    if (listeners.has(onChange)) onChange(ANY);
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

/** Returns the ids of the files with a move behind this link of the audit trail. */
async function readChanged({ pool }: Ledger, seq: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ file_id: string | null }>(
    'SELECT DISTINCT file_id FROM (SELECT file_id FROM audit WHERE seq > $1 ORDER BY seq LIMIT 1000) link LIMIT $2',
    [seq, MOST_FILES + 1],
  );
  const files = rows.map(({ file_id }) => file_id);
  return files.length > MOST_FILES ? ANY : files.map((file) => file ?? '*');
}
