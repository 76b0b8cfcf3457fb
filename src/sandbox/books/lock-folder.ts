import { randomBytes } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';

/**
 * Locks a folder for this sandbox; two that write the same books would cut each other's lines.
 *
 * The lock is a socket in the folder on which this process listens. The system ends the listening with the process,
 * however it ends. A process id in a file would be reused one day, and means something else in each container. Every
 * sandbox listens under its own name before it looks for others. So if two start together, at least one sees the other;
 * at worst both give up.
 * @returns a function that unlocks the folder
 * @throws CONFIG_INVALID when another sandbox has it, or when it cannot hold a socket
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const own = `sandbox-${randomBytes(6).toString('hex')}.lock`;
  const reached = await reachFolder(folder);
  const server = await listenAt(join(reached.path, own)).catch(async (error: unknown) => {
    await reached.close();
    throw new PipelineError('CONFIG_INVALID', lockAction(folder), reasonOf(error), { cause: error, next: NO_LOCK });
  });
  const unlock = async () => {
    await closeServer(server);
    await reached.close();
  };
  const others = (await readdir(folder)).filter((name) => LOCK_NAME.test(name) && name !== own);
  const held = await Promise.all(others.map((name) => isHeld(join(reached.path, name))));
  if (!held.includes(true)) return unlock;
  await unlock();
  throw new PipelineError('CONFIG_INVALID', lockAction(folder), 'another sandbox is using it', { next: IN_USE });
}

const LOCK_NAME = /^sandbox-[0-9a-f]{12}\.lock$/;
const IN_USE = 'Stop that sandbox, or give this one its own folder.';
const NO_LOCK = 'Give it a folder on a disk of this machine.';

function lockAction(folder: string): string {
  return `lock the data folder of the sandbox "${folder}"`;
}

/** Returns a path short enough for a socket; Linux has a short path for every open folder. */
async function reachFolder(folder: string): Promise<{ path: string; close: () => Promise<void> }> {
  const path = resolve(folder);
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return { path, close: () => Promise.resolve() };
  const handle = await open(path, 'r');
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
}

/** 103 bytes are safe on every system; the lock's name needs 26. */
const LONGEST_PATH_BYTES = 77;

function listenAt(path: string): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', fail);
    server.listen(path, () => done(server.unref()));
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
  });
}

/** Returns whether a process listens, or may. Removes what a killed sandbox left. */
async function isHeld(path: string): Promise<boolean> {
  const fault = await tryToConnect(path);
  if (fault === 'ENOENT') return false;
  if (fault !== 'ECONNREFUSED') return true;
  await rm(path, { force: true });
  return false;
}

/** @returns the code of the failure, or undefined when a process answers */
function tryToConnect(path: string): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(undefined);
    });
    socket.once('error', (error) => done(systemCode(error) ?? 'unknown'));
  });
}
