import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeScratchFolder, writeDemoConfig } from '../../../src/cli/demo/scratch-folder.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { loadMasterKey } from '../../support/load-master-key.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-scratch-'));
});
afterEach(() => rm(root, { recursive: true }));

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('makeScratchFolder', () => {
  it('makes a new folder that others may pass through and not list', async () => {
    const made = await makeScratchFolder();
    expect(basename(made)).toMatch(/^paydrop-demo-/);
    expect(await modeOf(made)).toBe('711');
    await rm(made, { recursive: true });
  });
});

describe('writeDemoConfig', () => {
  it('writes the sample configuration for this sandbox, with short waits in every account and folder', async () => {
    await writeDemoConfig(root, 'http://127.0.0.1:4321');
    const { accounts, folders, paths } = loadSettings(root, {});
    expect([...accounts.keys()]).toEqual(['main', 'canada']);
    for (const account of accounts.values()) {
      expect(account).toMatchObject({ baseUrl: 'http://127.0.0.1:4321', poll: { firstMs: 500 } });
    }
    for (const folder of folders) {
      expect(folder.complete).toMatchObject({ by: 'quiet', quietMs: 600 });
      expect((await stat(folder.path)).isDirectory()).toBe(true);
    }
    expect(await modeOf(join(root, 'paydrop.yaml'))).toBe('600');
    expect(await modeOf(paths.data)).toBe('700');
    expect(loadMasterKey({ file: paths.masterKey, env: {} }).bytes).toHaveLength(32);
  });
});
