import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceVerdict, serviceVerdict } from './service-verdict.ts';

/** GnuPG with a home of its own, as a sender has it. */
export type TestGpg = {
  /** Runs it with `input` on standard input. Returns what it prints. */
  run(words: readonly string[], input?: string | Buffer): Buffer;
  close(): Promise<void>;
};

export function gpgIsInstalled(): boolean {
  return spawnSync('gpg', ['--version']).status === 0;
}

export function gpgVerdict(): ServiceVerdict {
  return serviceVerdict('gpg', 'tests with messages of GnuPG', gpgIsInstalled());
}

export async function openTestGpg(): Promise<TestGpg> {
  // The agent's socket lies here, and names of sockets must be short.
  const home = await mkdtemp(join(tmpdir(), 'gpg-'));
  const env = { ...process.env, GNUPGHOME: home };
  const stdio = ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'];
  return {
    run: (words, input = '') =>
      execFileSync('gpg', ['--batch', '--yes', '--trust-model', 'always', '--passphrase', '', ...words], {
        env,
        input,
        stdio,
        maxBuffer: 100_000_000,
      }),
    close: async () => {
      spawnSync('gpgconf', ['--kill', 'all'], { env });
      await rm(home, { recursive: true, force: true });
    },
  };
}
