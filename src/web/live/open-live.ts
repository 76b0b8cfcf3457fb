import type { FastifyInstance } from 'fastify';
import { readWorking } from '../../ledger/person/sessions.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { readSessionToken } from '../access/cookies.ts';
import { Refusal } from '../access/refusal.ts';
import { viewerOf, type WebContext } from '../web-context.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readSettledEnd } from '../../ledger/overview/list-audit.ts';

/** How often a page gets a keep-alive, in ms. */
const BEAT_MS = 20_000;

/** How often the sessions of all open pages are checked, in ms, by one query. */
const CHECK_EACH_MS = 1_000;

/** Waiting drops may change with each file that is taken, so pages hear of several changes at once, in ms. */
const DROPS_TOGETHER_MS = 300;

/** Open pages of one user that are told of changes; further ones do not update themselves. */
const MOST_OF_PERSON = 10;

/** An open page. */
type Stream = {
  readonly person: string;
  readonly tokenHash: Buffer;
  say(event: string, data: string): void;
  end(): void;
};

/**
 * Opens `GET /live`, server-sent events: `change` after any change, `over` when the session has ended. A change carries
 * the ids of the files, `*` when it is not of files alone, or `drops` when other drops wait in the folders; the page
 * fetches itself again and gets what its user may see.
 */
export function openLive(server: FastifyInstance, context: WebContext): { close(): void } {
  const { app, drops } = context;
  const changes = watchChanges(app.ledger);
  const open = new Set<Stream>();
  let check: NodeJS.Timeout | undefined;
  /** All pages that hear of one change share a check. */
  let checking: Promise<void> | undefined;
  const checkLater = () => {
    check ??= setTimeout(() => {
      void endOver(context, open).then(() => {
        check = undefined;
        if (open.size === 0) return;
        void drops.refresh();
        checkLater();
      });
    }, CHECK_EACH_MS);
  };
  // Checks first: a page whose session has ended learns nothing more.
  const tell = (streams: Iterable<Stream>, files: readonly string[]) => {
    if (checking === undefined) {
      checking = endOver(context, open);
      queueMicrotask(() => (checking = undefined));
    }
    void checking.then(() => {
      for (const stream of streams) if (open.has(stream)) stream.say('change', files.join(' '));
    });
  };
  let telling: NodeJS.Timeout | undefined;
  const deafenToDrops = app.waiting.listen(() => {
    if (open.size === 0) return;
    telling ??= setTimeout(() => {
      telling = undefined;
      tell([...open], DROPS);
    }, DROPS_TOGETHER_MS);
  });
  // A log-out here ends its pages with its answer; what other processes end is found by the next check.
  server.addHook('onResponse', async ({ method }) => {
    if (method === 'POST' && open.size > 0) await endOver(context, open);
  });
  server.get('/live', (request, reply) => {
    const { person } = viewerOf(request);
    if ([...open].filter((one) => one.person === person).length >= MOST_OF_PERSON) throw new Refusal('TOO_MANY_PAGES');
    const tokenHash = hashSecretToken(readSessionToken(request, context) ?? '');
    reply.hijack();
    const { raw } = reply;
    // nginx would otherwise hold events back until it has a buffer full.
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    raw.write('retry: 3000\n\n');
    const beat = setInterval(() => raw.write(':\n\n'), BEAT_MS);
    const say = (event: string, data: string) => {
      if (!raw.writableEnded) raw.write(`event: ${event}\ndata: ${data}\n\n`);
    };
    const end = () => {
      clearInterval(beat);
      deafen();
      open.delete(stream);
      raw.end();
    };
    const stream: Stream = { person, tokenHash, say, end };
    const deafen = changes.listen((files) => tell([stream], files));
    open.add(stream);
    checkLater();
    raw.on('close', end);
  });
  return {
    close: () => {
      clearTimeout(check);
      clearTimeout(telling);
      deafenToDrops();
      for (const { end } of open) end();
      changes.close();
    },
  };
}

/** Ends the pages whose session has ended. When the sessions cannot be checked, all stay; the next check finds out. */
async function endOver({ app, settings }: WebContext, open: ReadonlySet<Stream>): Promise<void> {
  // Pages opened during the query are not in its answer.
  const streams = [...open];
  const hashes = streams.map(({ tokenHash }) => tokenHash);
  const working = await readWorking(app.ledger, hashes, settings).catch(() => undefined);
  if (working === undefined) return;
  for (const { tokenHash, say, end } of streams) {
    if (working.has(tokenHash.toString('hex'))) continue;
    say('over', '');
    end();
  }
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

const DROPS = ['drops'] as const;

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
