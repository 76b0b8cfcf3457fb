import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SftpClient from 'ssh2-sftp-client';
import { startWorkers } from '../../workers/main.ts';
import type { Remote } from '../../src/config/config.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { seededRandom } from '../support/random.ts';
import { startTestSshd } from '../support/sshd.ts';

type UploadReport = { uploads: number; cuts: number; caged: boolean; seconds: number; failures: string[] };

const CONVENTIONS: readonly Convention[] = ['rename', 'marker', 'control'];

/** What marks a file as whole in each folder. The quiet time is far shorter than the senders' pauses. */
const COMPLETE = {
  rename: { by: 'quiet', quietMs: 20, probes: 2 },
  marker: { by: 'marker', suffix: '.done' },
  control: { by: 'marker', suffix: '.ctl' },
} as const;

/**
 * Runs many slow senders at once against an OpenSSH server with the drop folders, while the watcher scans them all the
 * time. A file is right when the ledger has it once, with the hash of the whole.
 * @param plan.cage where an administrator shows the drop folders as the root of the server; the folder is made
 */
export async function runUploads(plan: {
  uploads: number;
  atOnce: number;
  seed: number;
  pauseMs: number;
  breaks?: number | undefined;
  cage?: string | undefined;
}): Promise<UploadReport> {
  const { uploads, atOnce, seed, pauseMs, breaks, cage } = plan;
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
  const started = performance.now();
  const workers = await startWorkers(world.app, new Set(['watch', 'intake']));
  try {
    const wanted = upTo(uploads).map((n) => makeUpload(n, cage === undefined ? drops : ''));
    const cuts = await uploadAll(wanted, { atOnce, remote: sshd.remote, random: seededRandom(seed), pauseMs, breaks });
    const failures = await waitForAll(world, wanted);
    return {
      uploads,
      cuts,
      caged: cage !== undefined,
      seconds: Math.round((performance.now() - started) / 1_000),
      failures,
    };
  } finally {
    await workers.stop();
    await sshd.stop();
    await release?.();
    await world.close();
  }
}

function makeUpload(n: number, drops: string): Upload {
  const convention = CONVENTIONS[n % CONVENTIONS.length]!;
  const rows = upTo(10 + (n % 20));
  const content = lines(
    rows.map((row) => achRow(row, { invoice: `U-${n}-${row}`, amount: `${n % 90}.${10 + (n % 89)}` })),
  );
  const control = `rows=${rows.length}\nsha256=${sha256(content)}\n`;
  return { folder: `${drops}/${convention}`, name: `upload-${n}.csv`, content, control, convention };
}

async function uploadAll(
  uploads: readonly Upload[],
  { atOnce, remote, ...manner }: { atOnce: number; remote: Parameters<typeof uploadSlowly>[0] } & Manner,
): Promise<number> {
  const waiting = [...uploads];
  let cuts = 0;
  const send = async () => {
    for (let upload = waiting.shift(); upload; upload = waiting.shift()) {
      const sent = await uploadSlowly(remote, upload, manner);
      // A statement of its own: with the await in it, what the others add meanwhile would be lost.
      cuts += sent.cuts;
    }
  };
  await Promise.all(upTo(atOnce).map(send));
  return cuts;
}

const PATIENCE_MS = 600_000;

/** Waits until all files are in the ledger. Returns what is wrong with them. */
async function waitForAll(
  world: Awaited<ReturnType<typeof openPipelineWorld>>,
  uploads: readonly Upload[],
): Promise<string[]> {
  const read = async () => {
    const { rows } = await world.app.ledger.pool.query<{ name: string; state: string; sha256: string }>(
      'SELECT name, state, sha256 FROM file',
    );
    return rows;
  };
  const end = performance.now() + PATIENCE_MS;
  let rows = await read();
  while ((rows.length < uploads.length || rows.some(({ state }) => state === 'claimed')) && performance.now() < end) {
    await sleep(20);
    rows = await read();
  }
  return uploads.flatMap(({ name, content }) => {
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

/** How a sender writes. `breaks` is the likelihood that the connection breaks after a piece. */
type Manner = { random: () => number; pauseMs: number; breaks?: number | undefined };

type Session = InstanceType<typeof SftpClient>;

/** How a sender marks a file as whole. */
type Convention = 'rename' | 'marker' | 'control';

/** Where a file goes, what it holds, and how its sender marks it as whole. */
type Upload = { folder: string; name: string; content: string; control: string; convention: Convention };

async function openSession({ host, port, user, key }: Remote): Promise<Session> {
  const session = new SftpClient('sender', { error: () => {}, end: () => {}, close: () => {} });
  await session.connect({ host, port, username: user, privateKey: key! });
  return session;
}

/**
 * Writes a file in pieces, with pauses much longer than the watcher's quiet time. Some connections break in the middle;
 * the sender reconnects and continues where the server says that it stopped.
 */
async function uploadSlowly(
  remote: Remote,
  upload: Upload,
  { random, pauseMs, breaks = 0.15 }: Manner,
): Promise<{ cuts: number }> {
  const { folder, name, content, control, convention } = upload;
  const path = `${folder}/${name}`;
  const draft = convention === 'rename' ? `${folder}/${random() < 0.5 ? `.${name}` : `${name}.filepart`}` : path;
  const bytes = Buffer.from(content);
  let cuts = 0;
  let sent = 0;
  let session = await openSession(remote);
  while (sent < bytes.length) {
    const piece = bytes.subarray(sent, sent + Math.ceil(bytes.length / 4));
    if (sent === 0) await session.put(piece, draft);
    else await session.append(piece, draft);
    await sleep(random() * pauseMs);
    if (random() < breaks) {
      cuts += 1;
      breakOff(session);
      session = await openSession(remote);
    }
    sent = (await session.stat(draft)).size;
  }
  if (convention === 'control') await session.put(Buffer.from(control), `${path}.ctl`);
  if (convention === 'marker') await session.put(Buffer.alloc(0), `${path}.done`);
  if (convention === 'rename') await session.rename(draft, path);
  await session.end();
  return { cuts };
}

/** Ends the connection without notice, as a failing network does. */
function breakOff(session: Session): void {
  (session as unknown as { client: { destroy(): void } }).client.destroy();
}
