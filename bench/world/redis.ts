import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Returns the version of the installed redis-server; undefined when there is none. */
export function redisVersion(): string | undefined {
  const { stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return /\bv=([\d.]+)/.exec(stdout ?? '')?.[1];
}

type Redis = { readonly socket: string; stop(): Promise<void> };

/** What a user sets so that at most a second of the queue is lost with the machine. */
const SETTINGS = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];

/** Starts a Redis that keeps its data in the folder and listens on a socket there. */
export async function startRedis(folder: string): Promise<Redis> {
  const socket = join(folder, 'redis.sock');
  const words = ['--port', '0', '--unixsocket', socket, '--dir', folder, ...SETTINGS];
  const server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const gone = once(server, 'exit');
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/ready to accept connections/i.test(said)) resolve();
    });
    server.on('error', reject).on('exit', () => reject(new Error(`redis-server did not start: ${said}`)));
  });
  await ready;
  return {
    socket,
    stop: async () => {
      server.kill('SIGTERM');
      await gone;
    },
  };
}
