import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import { STARTER_CONFIG } from '../../src/cli/commands/init.ts';
import { loadSettings } from '../../src/config/config.ts';

it('STARTER_CONFIG is a configuration with a folder for every operation, for the sandbox at its usual port', async () => {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-starter-'));
  try {
    await writeFile(join(root, 'paydrop.yaml'), STARTER_CONFIG);
    const { folders, accounts } = loadSettings(root, {});
    expect(folders.map((folder) => folder.operation).sort()).toEqual(Object.keys(FOLDER_OPERATIONS).sort());
    expect([...accounts.values()].map((account) => account.baseUrl)).toEqual(['http://127.0.0.1:8899']);
  } finally {
    await rm(root, { recursive: true });
  }
});
