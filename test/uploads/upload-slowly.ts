import { setTimeout as sleep } from 'node:timers/promises';
import SftpClient from 'ssh2-sftp-client';
import type { Remote } from '../../src/config/config.ts';

/** How a sender writes. `breaks` is the likelihood that the connection breaks after a piece. */
export type Manner = { random: () => number; pauseMs: number; breaks?: number | undefined };

export type Session = InstanceType<typeof SftpClient>;

/** How a sender marks a file as whole. */
export type Convention = 'rename' | 'marker' | 'control';

/** Where a file goes, what it holds, and how its sender marks it as whole. */
export type Upload = { folder: string; name: string; content: string; control: string; convention: Convention };

export async function openSession({ host, port, user, key }: Remote): Promise<Session> {
  const session = new SftpClient('sender', { error: () => {}, end: () => {}, close: () => {} });
  await session.connect({ host, port, username: user, privateKey: key! });
  return session;
}

/**
 * Writes a file in pieces, with pauses much longer than the watcher's quiet time. Some connections break in the middle;
 * the sender reconnects and continues where the server says that it stopped.
 */
export async function uploadSlowly(
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
