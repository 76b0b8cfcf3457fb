import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type SftpClient from 'ssh2-sftp-client';
import type { Settings } from '../../config/config.ts';
import type { RemoteConfig } from './rows.ts';
import { PipelineError } from '../../kernel/errors.ts';

/** An SFTP server with its secrets read. */
export type Remote = RemoteConfig & { readonly name: string };

/** Returns a server of the configuration, which was checked to name it. */
export function remoteNamed({ remotes }: Pick<Settings, 'remotes'>, name: string): Remote {
  return { ...remotes[name]!, name };
}

/** A file in a folder of an SFTP server. Servers report times to the second. */
export type RemoteFile = { readonly name: string; readonly bytes: number; readonly mtimeMs: number };

/** A logged-in session. Every method throws REMOTE_FAILED, or REMOTE_UNREACHABLE when the connection was lost. */
export type RemoteSession = {
  /** Lists plain files only: a link may lead anywhere. */
  list(folder: string): Promise<RemoteFile[]>;
  stat(path: string): Promise<Omit<RemoteFile, 'name'> | undefined>;
  fetch(path: string, local: string): Promise<void>;
  upload(local: string, path: string): Promise<void>;
  writeEmpty(path: string): Promise<void>;
  /** Fails when something exists at the new path. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * Logs in. The server's key must match the pinned fingerprint before any secret is sent; no server is taken on trust.
 * @throws PipelineError REMOTE_UNREACHABLE, REMOTE_KEY, REMOTE_LOGIN
 */
export async function openRemote(remote: Remote): Promise<RemoteSession> {
  // Loaded only where a remote exists: it takes memory that a large file may need.
  const { default: Client } = await import('ssh2-sftp-client');
  const client = new Client(`paydrop ${remote.name}`, {
    // The next call detects a connection that broke between two calls.
    error: () => {},
    end: () => {},
    close: () => {},
  });
  let shownKey: string | undefined;
  const { host, port, user: username, password, key, passphrase, timeoutMs } = remote;
  // On Node 22 and later the library's own socket delays small packets, and each request takes 0.1 s.
  const sock = connect({ host, port, noDelay: true });
  const endQuietly = async () => {
    await within(timeoutMs, () => client.end()).catch(() => false);
    sock.destroy();
  };
  try {
    const login = client.connect({
      sock,
      username,
      ...(password !== undefined && { password }),
      ...(key !== undefined && { privateKey: key.endsWith('\n') ? key : `${key}\n` }),
      ...(passphrase !== undefined && { passphrase }),
      readyTimeout: timeoutMs,
      keepaliveInterval: timeoutMs,
      keepaliveCountMax: 2,
      hostVerifier: (shown: Buffer) => {
        shownKey = fingerprintOf(shown);
        return shownKey === remote.hostKey;
      },
    });
    // The library's own limit ends at log-in, before the server has opened its SFTP subsystem.
    await within(timeoutMs, () => login);
  } catch (error) {
    await endQuietly();
    const action = `log in to remote "${remote.name}"`;
    if (shownKey !== undefined && shownKey !== remote.hostKey)
      throw new PipelineError('REMOTE_KEY', action, `it presents ${shownKey}, but hostKey is ${remote.hostKey}`);
    throw explainRemoteError(error, action);
  }
  return sessionOf(client, remote, endQuietly);
}

/** Formats a fingerprint the way `ssh-keygen -lf` prints it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function sessionOf(client: SftpClient, { name, timeoutMs }: Remote, close: () => Promise<void>): RemoteSession {
  const ask = async <Answer>(what: string, question: (heard: () => void) => Promise<Answer>): Promise<Answer> => {
    try {
      return await within(timeoutMs, question);
    } catch (error) {
      throw explainRemoteError(error, `${what} at remote "${name}"`);
    }
  };
  return {
    list: (folder) =>
      ask('list the folder', async () => {
        const entries = await client.list(folder);
        return entries
          .filter((entry) => entry.type === '-')
          .map((entry) => ({ name: entry.name, bytes: entry.size, mtimeMs: entry.modifyTime }));
      }),
    stat: (path) =>
      ask('look at a file', async (heard) => {
        if ((await client.exists(path)) !== '-') return undefined;
        heard();
        const { size, modifyTime } = await client.stat(path);
        return { bytes: size, mtimeMs: modifyTime };
      }),
    fetch: (path, local) =>
      ask('fetch a file', async (heard) => void (await client.fastGet(path, local, { step: heard }))),
    upload: (local, path) =>
      ask('upload a file', async (heard) => void (await client.fastPut(local, path, { step: heard }))),
    // Without a mode, the library lets everybody write to the marker, whatever the server's umask.
    writeEmpty: (path) =>
      ask('write a marker', async () => {
        await client.put(Buffer.alloc(0), path, { writeStreamOptions: { mode: 0o644 } });
      }),
    rename: (from, to) => ask('rename a file', async () => void (await client.rename(from, to))),
    remove: (path) => ask('remove a file', async () => void (await client.delete(path, true))),
    makeFolder: (path) =>
      ask('make a folder', async (heard) => {
        if ((await client.exists(path)) !== false) return;
        heard();
        await client.mkdir(path, true);
      }),
    close,
  };
}

/**
 * Limits the wait for a reply. The library would wait forever for a server that falls silent.
 * @param question calls its argument whenever the server replies, which restarts the wait
 */
async function within<Answer>(timeoutMs: number, question: (heard: () => void) => Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([question(() => void timer?.refresh()), late]).finally(() => clearTimeout(timer));
}

const NO_CONNECTION = new Set(
  (
    'ECONNREFUSED ECONNRESET ENOTFOUND EAI_AGAIN EHOSTUNREACH ' +
    'ENETUNREACH ETIMEDOUT EPIPE ERR_NOT_CONNECTED ERR_GENERIC_CLIENT'
  ).split(' '),
);

/**
 * Turns an SFTP failure into a PipelineError. The library's own message is left out: it quotes paths, and a sender may
 * have put a card number into a file name.
 */
export function explainRemoteError(error: unknown, action: string): PipelineError {
  const {
    code = '',
    message = '',
    level,
  } = (error ?? {}) as { code?: string | number; message?: string; level?: string };
  if (level === 'client-authentication' || /authentication methods failed/i.test(message))
    return new PipelineError('REMOTE_LOGIN', action);
  if (level === 'client-timeout' || /timed out|no answer within/i.test(message))
    return new PipelineError('REMOTE_UNREACHABLE', action, 'it did not answer in time');
  const refused = /^\w+->\w+: (no such file|permission denied|failure)\b/i.exec(message)?.[1]?.toLowerCase();
  if (refused !== undefined) return new PipelineError('REMOTE_FAILED', action, reasonOf(refused));
  if (NO_CONNECTION.has(String(code)) || /no sftp connection|connection (?:lost|closed)|not connected/i.test(message))
    return new PipelineError('REMOTE_UNREACHABLE', action, String(code) || 'the connection was lost');
  return new PipelineError('REMOTE_FAILED', action, reasonOf(code));
}

const NO_SUCH_FILE = 'there is no such file or folder';
const FAILURE = 'the server says "failure", as when the disk is full or a name is taken';

/** Maps protocol numbers and library words to a reason. For whole files the library gives words, not the number. */
function reasonOf(code: string | number): string {
  const reasons: Record<string, string> = {
    2: NO_SUCH_FILE,
    3: 'permission denied',
    4: FAILURE,
    ENOENT: NO_SUCH_FILE,
    ERR_BAD_PATH: NO_SUCH_FILE,
    EACCES: 'permission denied',
    'no such file': NO_SUCH_FILE,
    'permission denied': 'permission denied',
    failure: FAILURE,
  };
  return reasons[String(code)] ?? `the answer was ${String(code) || 'not understood'}`;
}
