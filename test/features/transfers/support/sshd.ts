import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Remote } from '../../../../src/features/transfers/open-remote.ts';
import { findFreePort } from '../../../support/daemon.ts';
import { type ServiceVerdict, serviceVerdict } from '../../../support/service-verdict.ts';

/** A real OpenSSH server on the loopback, for one user with one key. */
export type TestSshd = {
  /** The user's folder, which has the same path on the server. */
  readonly folder: string;
  readonly remote: Remote;
  /** Ends the server and all connections. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

type SshdOptions = { cage?: string; subsystem?: string };

const SSHD = '/usr/sbin/sshd';

export function sshdIsInstalled(): boolean {
  return spawnSync(SSHD, ['-V']).error === undefined;
}

export function sshdVerdict(): ServiceVerdict {
  return serviceVerdict('sshd', 'SFTP tests', sshdIsInstalled());
}

/**
 * @param options.cage the user sees nothing but this folder, as its root; only an administrator may set that up
 * @param options.subsystem what answers in place of the SFTP part
 */
export async function startTestSshd(options: SshdOptions = {}): Promise<TestSshd> {
  const home = await mkdtemp(join(tmpdir(), 'paydrop-test-sshd-'));
  await chmod(home, 0o755);
  const folder = join(home, 'files');
  await mkdir(folder);
  for (const name of ['host', 'user']) makeKey(join(home, name));
  await writeFile(join(home, 'authorized'), await readFile(join(home, 'user.pub')), { mode: 0o600 });
  // As root only: here the server cages itself before a log-in.
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await findFreePort();
  await writeFile(join(home, 'config'), configOf(home, port, options));
  let server = await start(home, port);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    // Its children, some for each connection, live on without it.
    for (const pid of [...childrenOf(server.pid!), server.pid!]) killQuietly(pid);
    await gone;
  };
  return {
    folder,
    remote: {
      name: 'bank',
      host: '127.0.0.1',
      port,
      user: userInfo().username,
      key: await readFile(join(home, 'user'), 'utf8'),
      hostKey: fingerprintOf(join(home, 'host.pub')),
      timeoutMs: 30_000,
    },
    kill,
    restart: async () => {
      await kill();
      server = await start(home, port);
    },
    stop: async () => {
      await kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid: number): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
  const children = listed.split('\n').map(Number).filter(Boolean);
  return children.flatMap((child) => [...childrenOf(child), child]);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function makeKey(path: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
}

function fingerprintOf(path: string): string {
  return execFileSync('ssh-keygen', ['-lf', path], { encoding: 'utf8' }).split(' ')[1]!;
}

function configOf(home: string, port: number, { cage, subsystem = 'internal-sftp' }: SshdOptions): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${home}/host`,
    `AuthorizedKeysFile ${home}/authorized`,
    'PidFile none',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
    'StrictModes no',
    'UsePAM no',
    'MaxStartups 200',
    `Subsystem sftp ${subsystem}`,
    ...(cage === undefined ? [] : [`ChrootDirectory ${cage}`, 'ForceCommand internal-sftp']),
    '',
  ].join('\n');
}

async function start(home: string, port: number): Promise<ChildProcess> {
  const server = spawn(SSHD, ['-D', '-e', '-f', join(home, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(20)) {
    if (server.exitCode !== null) break;
    if (await answers(port)) return server;
  }
  throw new Error(`sshd did not start: ${said}`);
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'error').then(([error]) => Promise.reject(error as Error)),
    ]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
