import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { buildProgram } from './build-program.ts';

/**
 * An installation as a user has it: a folder with paydrop.yaml and the embedded database, and `paydrop` as a process of
 * its own that can be killed. Everything it logs goes to files in the folder.
 */
export type Installation = {
  readonly root: string;
  /** Drops a file by a rename, so that it appears all at once. */
  drop(folder: string, name: string, content: string): Promise<void>;
  /** Starts a command in the background. */
  spawn(...words: string[]): Running;
  /** Runs a command to its end. */
  run(...words: string[]): Promise<{ status: number | null; stdout: string; stderr: string }>;
  remove(): Promise<void>;
};

export type Running = {
  readonly process: ChildProcess;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  ended(): Promise<number | null>;
};

/** Each account gets the agent code `AGENT-name` in capitals, and three drop folders `name/<operation>` of its own. */
export async function makeInstallation(options: {
  accounts: readonly string[];
  serviceUrl: string;
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
}): Promise<Installation> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-installation-'));
  await chmod(root, 0o711);
  const folders = options.accounts.flatMap((account) =>
    ['card', 'ach-charge', 'ach-refund'].map((operation) => ({
      path: `drop/${account}/${operation}`,
      account,
      operation,
      complete: { by: 'quiet', quietMs: 50, probes: 2 },
    })),
  );
  const accounts = Object.fromEntries(
    options.accounts.map((name) => [
      name,
      {
        server: 'NA',
        country: 'US',
        currency: 'USD',
        agentCode: agentCodeOf(name),
        password: PASSWORD,
        baseUrl: options.serviceUrl,
        poll: { firstMs: 100, factor: 1.2, longestMs: 500 },
      },
    ]),
  );
  const config = { accounts, folders, rescanMs: 500, sweepMs: 500, ...options.settings };
  await writeFile(join(root, 'paydrop.yaml'), stringify(config), { mode: 0o600 });
  for (const dir of ['data', 'incoming', 'logs', ...folders.map((folder) => folder.path)]) {
    await mkdir(join(root, dir), { recursive: true });
  }
  createMasterKeyFile(join(root, 'data', 'master.key'));

  const program = await buildProgram();
  let started = 0;
  const begin = async (words: string[]) => {
    started += 1;
    const out = join(root, 'logs', `${started}.out`);
    const err = join(root, 'logs', `${started}.err`);
    const files = await Promise.all([open(out, 'w'), open(err, 'w')]);
    const child = spawn(process.execPath, [program.main, '--dir', root, ...words], {
      stdio: ['ignore', files[0].fd, files[1].fd],
      env: { ...process.env, PAYDROP_LOG_LEVEL: 'debug', PAYDROP_DASHBOARD: 'off', ...options.env },
    });
    await Promise.all(files.map((file) => file.close()));
    return { child, out, err };
  };

  return {
    root,
    drop: async (folder, name, content) => {
      const aside = join(root, 'incoming', name);
      await writeFile(aside, content);
      await rename(aside, join(root, 'drop', folder, name));
    },
    spawn: (...words) => {
      const beginning = begin(words);
      let child: ChildProcess | undefined;
      const ready = beginning.then((begun) => {
        child = begun.child;
        return begun.child;
      });
      const ended = async () => {
        const process = await ready;
        if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
        return process.exitCode;
      };
      return {
        get process() {
          return child!;
        },
        kill: async () => {
          (await ready).kill('SIGKILL');
          await ended();
        },
        ended,
      };
    },
    run: async (...words) => {
      const { child, out, err } = await begin(words);
      if (child.exitCode === null) await once(child, 'exit');
      return { status: child.exitCode, stdout: await readFile(out, 'utf8'), stderr: await readFile(err, 'utf8') };
    },
    remove: async () => {
      await rm(root, { recursive: true, force: true });
      await program.remove();
    },
  };
}

export const PASSWORD = 'secret-of-the-test';

export function agentCodeOf(account: string): string {
  return `AGENT-${account.toUpperCase()}`;
}

/** Returns the accounts as the sandbox wants them. */
export function sandboxAccounts(accounts: readonly string[]): { agentCode: string; password: string }[] {
  return accounts.map((name) => ({ agentCode: agentCodeOf(name), password: PASSWORD }));
}
