import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { Duplex } from 'node:stream';
import pg from 'pg';

/**
 * Keeps sessions of the run's server for the next client with the same parameters: a new one costs more than most tests
 * do. A reused session is like new: nothing runs in it, and its locks, listeners, statements and settings are gone.
 * @param folder of the server's socket, as it is written; clients that write it in another way connect as usual
 */
export function keepSessionsWarm(folder: string): void {
  warmFolders.add(folder);
  if (isPatched) return;
  isPatched = true;
  const proto = pg.Connection.prototype as unknown as { connect(portOrPath: number | string, host?: string): void };
  const { connect: connectAsEver } = proto;
  proto.connect = function connectWarm(this: { stream: Duplex }, ...to) {
    if (warmFolders.has(dirname(String(to[0])))) this.stream = new WarmStream();
    connectAsEver.apply(this, to);
  };
}

/** Folders of the sockets whose sessions are kept. */
const warmFolders = new Set<string>();
let isPatched = false;

/** Returns the process ids of the sessions without a client. */
export function clientlessSessions(): number[] {
  return [...freeSessions(), ...[...returning].map((session) => session.pid)];
}

/** Returns the process ids of those in which nothing of their last client is left, its locks included. */
export function freeSessions(): number[] {
  return idle.map((session) => session.pid);
}

/** Waiting sessions, the last used ones at the end. */
const idle: Session[] = [];
/** Sessions that are being reset. */
const returning = new Set<Session>();
const MOST_IDLE = 40;

/** A connection to the server that outlives its clients. */
class Session {
  pid = 0;
  /** What the server sent before it was first ready, which each client receives. */
  greeting = Buffer.alloc(0);
  user: ((data: Buffer | undefined, error?: Error) => void) | undefined;
  /** Queries that have no answer yet. */
  private open = 1;
  private isReady = false;
  private status = '';
  private readonly told = frames((type) => {
    if (type === 'Q' || type === 'S') this.open += 1;
  });
  private readonly heard = frames((type, body) => {
    if (type === 'K') this.pid = body.readInt32BE(0);
    if (type !== 'Z') return;
    this.open -= 1;
    this.status = body.toString('latin1');
    this.isReady = true;
  });
  readonly socket: Socket;

  readonly words: string;

  constructor(words: string, path: string) {
    this.words = words;
    this.socket = connect(path);
    this.socket.on('data', (data) => {
      if (!this.isReady) this.greeting = Buffer.concat([this.greeting, data]);
      this.heard(data);
      this.user?.(data);
    });
    this.socket.on('error', (error) => this.user?.(undefined, error));
    this.socket.on('close', () => {
      this.leaveIdle();
      this.user?.(undefined);
    });
  }

  /** Returns false when the server does not take data as fast as it comes. */
  write(chunk: Buffer): boolean {
    this.told(chunk);
    return this.socket.write(chunk);
  }

  /** True when every query was answered. */
  get isQuiet(): boolean {
    return this.isReady && this.open === 0 && !this.socket.destroyed;
  }

  /** Resets it, then lets it wait for the next client. Resolves when nothing of its user is left. */
  async giveBack(): Promise<void> {
    const ask = async (sql: string) => {
      const answered = new Promise<void>((resolve) => {
        this.user = (data) => {
          if (data === undefined || this.open === 0) resolve();
        };
      });
      this.write(query(sql));
      await answered;
    };
    returning.add(this);
    if (this.status !== 'I') await ask('ROLLBACK');
    await ask(RESET);
    returning.delete(this);
    this.user = undefined;
    if (this.socket.destroyed) return;
    this.socket.unref();
    idle.push(this);
    if (idle.length > MOST_IDLE) idle[0]!.end();
  }

  leaveIdle(): void {
    const place = idle.indexOf(this);
    if (place >= 0) idle.splice(place, 1);
  }

  end(): void {
    this.leaveIdle();
    this.socket.end(TERMINATE);
  }
}

/** Replaces the socket of a client. */
class WarmStream extends Duplex {
  private path = '';
  private session: Session | undefined;

  constructor() {
    super({ allowHalfOpen: false });
  }

  connect(path: string): void {
    this.path = path;
    process.nextTick(() => this.emit('connect'));
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {
    this.session?.socket.ref();
  }
  unref(): void {
    this.session?.socket.unref();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.session === undefined) this.begin(chunk);
    else if (chunk.equals(TERMINATE) && this.session.isQuiet) this.giveBack();
    else if (!this.session.write(chunk)) return void this.session.socket.once('drain', done);
    done();
  }

  /** Sends all parts of a query in one packet. */
  override _writev(parts: { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), '', done);
  }

  override _read(): void {
    this.session?.socket.resume();
  }

  override _final(done: () => void): void {
    this.session?.socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.session) this.session.user = undefined;
    this.session?.socket.destroy();
    done(error);
  }

  private begin(chunk: Buffer): void {
    const words = chunk.toString('latin1');
    const kept = idle.findLast((one) => one.words === words);
    const session = kept ?? new Session(words, this.path);
    this.session = session;
    session.leaveIdle();
    session.socket.ref();
    session.user = (data, error) => {
      if (error) this.destroy(error);
      else if (data === undefined) this.push(null);
      else if (!this.push(data)) session.socket.pause();
    };
    if (kept) this.push(session.greeting);
    else session.socket.write(chunk);
  }

  private giveBack(): void {
    const session = this.session!;
    this.session = undefined;
    void session.giveBack().then(() => this.push(null));
  }
}

/** All that DISCARD ALL does but for the plans of functions, which do not depend on what a client did. */
const RESET =
  'CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES';

const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

function query(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const head = Buffer.from([0x51, 0, 0, 0, 0]);
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

/** Reports the type of each message in a stream and its received bytes; types `Z` and `K` are reported whole. */
function frames(tell: (type: string, body: Buffer) => void): (data: Buffer) => void {
  let head = Buffer.alloc(0);
  let toSkip = 0;
  return (data) => {
    let rest = data;
    while (rest.length > 0) {
      if (toSkip > 0) {
        const skipped = Math.min(toSkip, rest.length);
        toSkip -= skipped;
        rest = rest.subarray(skipped);
        continue;
      }
      if (head.length > 0) rest = Buffer.concat([head, rest]);
      head = Buffer.alloc(0);
      const length = rest.length < 5 ? Number.POSITIVE_INFINITY : rest.readInt32BE(1) + 1;
      const isWanted = rest[0] === 0x5a || rest[0] === 0x4b;
      if (rest.length < 5 || (isWanted && rest.length < length)) {
        head = Buffer.from(rest);
        return;
      }
      tell(String.fromCharCode(rest[0]!), rest.subarray(5, Math.min(length, rest.length)));
      toSkip = length;
    }
  };
}
