import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { CONFIG_FILE, loadSettings } from '../../kernel/config.ts';
import { createMasterKeyFile } from '../../vault/master-key.ts';
import type { CliCommand } from '../command.ts';
import { STARTER_CONFIG } from '../starter-config.ts';

export const init: CliCommand = {
  name: 'init [folder]',
  about: 'Make a folder ready: paydrop.yaml, drop folders, master key. Keeps what is there',
  async run(call) {
    const root = resolve(call.arguments[0] ?? call.dir);
    await mkdir(root, { recursive: true });
    const config = join(root, CONFIG_FILE);
    const isNew = !existsSync(config);
    // It may come to hold passwords, so nobody else reads it.
    if (isNew) await writeFile(config, STARTER_CONFIG, { mode: 0o600, flag: 'wx' });
    const settings = loadSettings(root, process.env);
    const { out, quarantine, data } = settings.paths;
    for (const dir of [data, out, quarantine]) await mkdir(dir, { recursive: true, mode: 0o700 });
    for (const folder of settings.folders) await mkdir(folder.path, { recursive: true });
    if (!process.env['PAYDROP_MASTER_KEY'] && !existsSync(settings.paths.masterKey))
      createMasterKeyFile(settings.paths.masterKey);
    console.log(
      describe(
        root,
        isNew,
        settings.folders.map((folder) => relative(root, folder.path)),
      ),
    );
    return EXIT.ok;
  },
};

function describe(root: string, isNew: boolean, folders: string[]): string {
  const here = root === process.cwd() ? '' : `--dir ${root} `;
  return [
    `${isNew ? 'Made' : 'Kept'} ${join(root, CONFIG_FILE)}`,
    `Drop files into: ${folders.join(', ')}`,
    '',
    'Next:',
    '  paydrop sandbox              the payment service for trying, in another terminal',
    `  paydrop ${here}start`,
    '',
    'Keep a copy of data/master.key in a safe place: without it nothing that is sealed can be opened.',
  ].join('\n');
}
