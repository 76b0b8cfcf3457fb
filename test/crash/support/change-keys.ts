import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKeyUses } from '../../../src/ledger/key/master-keys.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { type CrashSite, openCrashSite } from './crash-site.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';

const PRELOAD = 'test/crash/support/die-at-commit.ts';

/**
 * Changes the master key while a daemon works through files, with a command that is killed on its way.
 * @param deaths the commits at which it dies: the first makes the new key current, the second rewraps keys that outlive
 * files, the third those of the files
 */
export function testChangeOfKeys(deaths: readonly string[]): void {
  let root = '';
  let service: SandboxProcess;
  let site: CrashSite;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop-keys-'));
    service = await startSandboxProcess(root, ['main']);
    site = await openCrashSite({
      accounts: ['main'],
      serviceUrl: service.url,
      account: { poll: { firstMs: 50, factor: 1, longestMs: 100 } },
      settings: { sweepMs: 300, rescanMs: 300 },
    });
  }, 60_000);
  afterAll(async () => {
    await site?.close();
    await service?.close();
    await rm(root, { recursive: true, force: true });
  });

  const keyFile = () => join(site.root, 'data/master.key');
  const keysInFile = async () => (await readFile(keyFile(), 'utf8')).trim().split('\n');
  const uses = async () => {
    const pool = { query: async (sql: string) => ({ rows: await site.query(sql) }) };
    return (await readKeyUses({ pool } as unknown as Ledger)).filter((use) => use.files + use.others > 0);
  };

  async function run(words: string[], env: Record<string, string> = {}, preload: string[] = []) {
    return site.start({ words, env, preload }).ended;
  }

  async function completed(files: number): Promise<void> {
    const count = async () =>
      (await site.query<{ n: number }>(`SELECT count(*)::int AS n FROM file WHERE state = 'completed'`))[0]!.n;
    await expect.poll(count, { interval: 50 }).toBe(files);
  }

  describe('paydrop key rotate beside a daemon', () => {
    it('killed at any commit, done again: every key is wrapped by the new one, and the daemon never stops for it', async () => {
      await site.dropCharges('main', 'first.csv', 4);
      const daemon = site.start();
      await daemon.said(/paydrop is running/);
      await completed(1);
      let files = 1;
      for (const dieAt of deaths) {
        const before = (await keysInFile()).length;
        const name = `at ${dieAt}.csv`;
        await site.dropCharges('main', name, 3);
        expect(await run(['key', 'rotate'], { DIE_AT: dieAt }, [PRELOAD]), dieAt).toBe('SIGKILL');
        files += 1;
        await completed(files);
        expect(await run(['key', 'rotate']), dieAt).toBe(0);
        const keys = await keysInFile();
        // Repeated after its last commit, it cannot know that it was killed, and changes the key once more.
        expect(keys.length - before, dieAt).toBeLessThanOrEqual(2);
        expect(await uses(), dieAt).toHaveLength(1);
      }
      expect(daemon.lines.filter((line) => line['code'] === 'MASTER_KEY_WRONG')).toEqual([]);
      const booked = (await service.books()).map((row) => row.invoice);
      expect(new Set(booked).size).toBe(booked.length);
      expect(booked).toHaveLength(4 + deaths.length * 3);
      daemon.signal('SIGTERM');
      expect(await daemon.ended).toBe(0);
    }, 240_000);

    it('does not start with keys that are all wrong, says which key it needs, and changes nothing', async () => {
      const right = await readFile(keyFile(), 'utf8');
      const [used] = await uses();
      const wrong = [1, 2].map(() => `${randomBytes(32).toString('base64')}\n`).join('');
      await writeFile(keyFile(), wrong, { mode: 0o600 });
      const daemon = site.start();
      expect((await daemon.said(/needs master key/)).msg).toContain(used!.id);
      expect(await daemon.ended).toBe(5);
      expect(await run(['key', 'rotate'])).toBe(5);
      expect(await readFile(keyFile(), 'utf8')).toBe(wrong);
      expect(await uses()).toEqual([used]);
      await writeFile(keyFile(), right, { mode: 0o600 });
      expect(await run(['rebuild-outputs', 'first.csv'])).toBe(0);
    }, 60_000);
  });
}
