import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './daemon.ts';
import { type ServiceVerdict, serviceVerdict } from './service-verdict.ts';

export type TestRedis = {
  url: string;
  /** Ends the server as a crash would; what it holds is lost unless a SAVE kept it. */
  kill(): Promise<void>;
  /** Starts it again at the same address: empty, or with what a SAVE kept. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Returns whether tests with a real Redis can run here. No npm package brings one. */
export function redisIsInstalled(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

export function redisVerdict(): ServiceVerdict {
  return serviceVerdict('redis-server', 'Redis tests', redisIsInstalled());
}

/** Starts a Redis on a free port of the loopback, in memory only. */
export async function startTestRedis({ maxmemoryPolicy = 'noeviction' } = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-test-redis-'));
  const port = await findFreePort();
  let server = await start(folder, port, maxmemoryPolicy);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: async () => {
      await kill();
      server = await start(folder, port, maxmemoryPolicy);
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** How many installations may share it, each with a logical database of its own (given-engines.ts). */
const DATABASES = 10_000;

async function start(folder: string, port: number, maxmemoryPolicy: string): Promise<ChildProcess> {
  const settings = [
    '--databases',
    DATABASES,
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    maxmemoryPolicy,
    '--dir',
    folder,
  ];
  const server = spawn('redis-server', settings.map(String), { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(text);
    if (!said.includes('Ready to accept connections')) continue;
    server.stdout.resume();
    return server;
  }
  throw new Error(`redis-server ended before it was ready, with status ${server.exitCode}`);
}
