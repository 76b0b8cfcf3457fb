import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import SftpClient from 'ssh2-sftp-client';
import { startWorkers } from '../../workers/main.ts';
import type { Remote } from '../../src/features/transfers/open-remote.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { startTestSshd } from '../features/transfers/support/sshd.ts';

/** How a sender marks a file as whole. */
type Convention = 'rename' | 'marker' | 'control';

const CONVENTIONS: readonly Convention[] = ['rename', 'marker', 'control'];

/** A file that a sender writes in pieces. */
type Upload = {
  readonly convention: Convention;
  /** Name of a file that is renamed when it is whole. */
  readonly draft: 'hidden' | 'filepart';
  readonly rows: number;
  readonly pieces: readonly Piece[];
};

/** A piece, in thousandths of the file, and what the sender does after it. The last piece is whatever is left. */
type Piece = { readonly share: number; readonly pauseMs: number; readonly breaks: boolean };

/** A pause is much longer than the watcher's quiet time. */
const LONGEST_PAUSE_MS = 200;

const PIECE: fc.Arbitrary<Piece> = fc.record({
  share: fc.integer({ min: 1, max: 500 }),
  pauseMs: fc.nat(LONGEST_PAUSE_MS),
  breaks: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const UPLOAD: fc.Arbitrary<Upload> = fc.record({
  convention: fc.constantFrom(...CONVENTIONS),
  draft: fc.constantFrom('hidden', 'filepart'),
  rows: fc.integer({ min: 10, max: 29 }),
  pieces: fc.noBias(fc.array(PIECE, { minLength: 1, maxLength: 5 })),
});

/** So many uploads at once, cut anywhere. */
export const UPLOADS_AT_ONCE = 10;
export const UPLOADS: fc.Arbitrary<readonly Upload[]> = fc.noBias(
  fc.array(UPLOAD, { minLength: 1, maxLength: UPLOADS_AT_ONCE, size: 'max' }),
);

/** What marks a file as whole in each folder. The quiet time is far shorter than the senders' pauses. */
const COMPLETE = {
  rename: { by: 'quiet', quietMs: 20, probes: 2 },
  marker: { by: 'marker', suffix: '.done' },
  control: { by: 'marker', suffix: '.ctl' },
} as const;

export type UploadWorld = {
  /** Sends files at once. Returns how many connections broke, and what is wrong with the files in the ledger. */
  send(uploads: readonly Upload[]): Promise<{ cuts: number; failures: string[] }>;
  close(): Promise<void>;
};

/**
 * Opens an OpenSSH server with the drop folders, while the watcher scans them all the time.
 * @param cage where an administrator shows the drop folders as the root of the server; the folder is made
 */
export async function openUploadWorld(cage: string | undefined): Promise<UploadWorld> {
  const world = await openPipelineWorld({
    settings: {
      folders: CONVENTIONS.map((convention) => ({
        path: `drop/${convention}`,
        account: 'main',
        operation: 'ach-charge',
        complete: COMPLETE[convention],
        unusualFactor: 0,
      })),
      rescanMs: 50,
    },
  });
  const drops = join(world.root, 'drop');
  const release = cage === undefined ? undefined : await showAt(drops, cage);
  const sshd = await startTestSshd(cage === undefined ? {} : { cage });
  const workers = await startWorkers(world.app, new Set(['watch', 'intake']));
  let files = 0;
  return {
    send: async (uploads) => {
      const sent = uploads.map((upload) => ({ ...upload, ...contentOf(upload, (files += 1)) }));
      const folder = cage === undefined ? drops : '';
      const ended = await Promise.allSettled(sent.map((upload) => uploadSlowly(sshd.remote, folder, upload)));
      // A file that is claimed too early is gone for its sender.
      const stopped = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
      const cuts = ended.reduce((sum, end) => sum + (end.status === 'fulfilled' ? end.value : 0), 0);
      return { cuts, failures: stopped.length > 0 ? stopped : await waitForAll(world, sent) };
    },
    close: async () => {
      await workers.stop();
      await sshd.stop();
      await release?.();
      await world.close();
    },
  };
}

/** What a sender writes. Each file has payments of its own: the same ones would be held as charged before. */
type Content = { readonly name: string; readonly content: string };

function contentOf({ rows }: Upload, n: number): Content {
  const row = (at: number) => achRow(at, { invoice: `U-${n}-${at}`, amount: `${n % 90}.${10 + (n % 89)}` });
  return { name: `upload-${n}.csv`, content: lines(upTo(rows).map(row)) };
}

const PATIENCE_MS = 120_000;

/** Waits until all files are in the ledger. Returns what is wrong with them. */
async function waitForAll(
  world: Awaited<ReturnType<typeof openPipelineWorld>>,
  sent: readonly Content[],
): Promise<string[]> {
  const names = sent.map(({ name }) => name);
  const read = async () => {
    const { rows } = await world.app.ledger.pool.query<{ name: string; state: string; sha256: string }>(
      'SELECT name, state, sha256 FROM file WHERE name = ANY($1)',
      [names],
    );
    return rows;
  };
  const end = performance.now() + PATIENCE_MS;
  let rows = await read();
  while ((rows.length < sent.length || rows.some(({ state }) => state === 'claimed')) && performance.now() < end) {
    await sleep(20);
    rows = await read();
  }
  return sent.flatMap(({ name, content }) => {
    const files = rows.filter((row) => row.name === name);
    const [file] = files;
    if (files.length !== 1) return [`${name} is in the ledger ${files.length} times`];
    if (file!.sha256 !== sha256(content)) return [`${name} was claimed before it was whole`];
    return file!.state === 'accepted' ? [] : [`${name} is ${file!.state}`];
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Mounts it at the cage. OpenSSH wants all folders above closed to others, which a temporary folder is not. */
async function showAt(folder: string, cage: string): Promise<() => Promise<void>> {
  await mkdir(cage, { recursive: true });
  execFileSync('mount', ['--bind', folder, cage]);
  return async () => {
    execFileSync('umount', ['-l', cage]);
    await rmdir(cage);
  };
}

type Session = InstanceType<typeof SftpClient>;

async function openSession({ host, port, user, key }: Remote): Promise<Session> {
  const session = new SftpClient('sender', { error: () => {}, end: () => {}, close: () => {} });
  await session.connect({ host, port, username: user, privateKey: key! });
  return session;
}

/**
 * Writes a file in pieces, with pauses. Some connections break in the middle; the sender reconnects and continues where the
 * server says that it stopped. Returns how many broke.
 */
async function uploadSlowly(remote: Remote, drops: string, upload: Upload & Content): Promise<number> {
  const { convention, name, content, rows, pieces } = upload;
  const folder = `${drops}/${convention}`;
  const path = `${folder}/${name}`;
  const renamed = upload.draft === 'hidden' ? `${folder}/.${name}` : `${path}.filepart`;
  const draft = convention === 'rename' ? renamed : path;
  const bytes = Buffer.from(content);
  let cuts = 0;
  let sent = 0;
  let session = await openSession(remote);
  for (let turn = 0; sent < bytes.length; turn += 1) {
    const { share, pauseMs, breaks } = pieces[turn] ?? { share: 1_000, pauseMs: 0, breaks: false };
    const piece = bytes.subarray(sent, sent + Math.ceil((bytes.length * share) / 1_000));
    if (sent === 0) await session.put(piece, draft);
    else await session.append(piece, draft);
    await sleep(pauseMs);
    if (breaks) {
      cuts += 1;
      breakOff(session);
      session = await openSession(remote);
    }
    sent = (await session.stat(draft)).size;
  }
  const control = `rows=${rows}\nsha256=${sha256(content)}\n`;
  if (convention === 'control') await session.put(Buffer.from(control), `${path}.ctl`);
  if (convention === 'marker') await session.put(Buffer.alloc(0), `${path}.done`);
  if (convention === 'rename') await session.rename(draft, path);
  await session.end();
  return cuts;
}

/** Ends the connection without notice, as a failing network does. */
function breakOff(session: Session): void {
  (session as unknown as { client: { destroy(): void } }).client.destroy();
}
