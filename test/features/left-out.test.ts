import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTIONS, type ActionName } from '../../schemas/actions.ts';
import { FEATURE_ROWS } from '../../schemas/features.ts';
import type { FeatureRows } from '../../schemas/table-rows.ts';
import { handlersOf } from '../../src/actions/handlers.ts';
import { handlerOf } from '../../src/actions/run-action.ts';
import { loadNamed } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { CONFIG_FILE, loadSettings } from '../../src/config/config.ts';
import { FEATURES } from '../../src/features.ts';
import { handledIn } from '../../src/web/actions/actions-for.ts';
import { takeDown } from '../cli/support/run-here.ts';

const ACCOUNT = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'x' };
const FOLDER = { path: 'drop', account: 'main', operation: 'card' };
const BANK = { host: 'sftp.example', user: 'us', password: 'x', hostKey: `SHA256:${'A'.repeat(43)}` };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-left-out-'));
});
afterEach(() => rm(root, { recursive: true }));

async function load(config: object) {
  await writeFile(
    join(root, CONFIG_FILE),
    JSON.stringify({ accounts: { main: ACCOUNT }, folders: [FOLDER], ...config }),
  );
  return loadSettings(root, {}, FEATURES);
}

describe('FEATURES', () => {
  it('are those that have rows, by the same names', () => {
    expect(FEATURES.map(({ name }) => name)).toEqual(Object.keys(FEATURE_ROWS));
  });

  it.each(FEATURES)('$name has a handler for each action of its rows, and no other', ({ name, actions = {} }) => {
    const { actions: rows = {} }: FeatureRows = FEATURE_ROWS[name];
    expect(Object.keys(actions)).toEqual(Object.keys(rows));
  });
});

describe('a feature that is left out', () => {
  it('is not among those of the settings; the others are', async () => {
    expect((await load({})).features).toEqual(FEATURES);
    const { features } = await load({ features: { archive: false, transfers: true } });
    expect(features.map(({ name }) => name)).toEqual(['transfers']);
  });

  it('has no action', () => {
    const name: ActionName = 'archive-rows';
    expect(handledIn(FEATURES)).toContain(name);
    expect(handledIn([])).not.toContain(name);
    expect(Object.keys(handlersOf([]))).not.toContain(name);
    expect(() => handlerOf([], name)).toThrow(
      `Cannot do "${ACTIONS[name].label}": the feature that does it is left out`,
    );
  });

  it('has no command: help does not list it, and it says why it does not run', async () => {
    await load({ features: { archive: false } });
    const names = (await loadNamed(['--dir', root, '--help'], FEATURES)).map(({ name }) => name);
    expect(names).not.toContain('archive');
    expect(names).toContain('status');
    const ran = await takeDown(() => runCommandLine(['--dir', root, 'archive', 'list'], FEATURES));
    expect(ran.result).toBe(1);
    expect(ran.err).toContain('Cannot run "archive": the feature "archive" is left out. Take it out of "features"');
  });

  it.each([
    ['remotes', { remotes: { bank: BANK } }],
    ['push', { push: [{ remote: 'bank', path: '/in' }] }],
    ['pull of folder "drop"', { folders: [{ ...FOLDER, pull: { remote: 'bank', path: '/out' } }] }],
  ])('may not be configured: %s', async (place, config) => {
    const loaded = load({ features: { transfers: false }, ...config });
    await expect(loaded).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(loaded).rejects.toThrow(place);
    await expect(loaded).rejects.toThrow('it belongs to "transfers", which is left out');
  });

  it('has a name that is a feature', async () => {
    await expect(load({ features: { archives: false } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('secrets in settings of features', () => {
  it('are read, wherever the feature has them', async () => {
    await writeFile(join(root, 'password'), 'from a file\n', { mode: 0o600 });
    const { remotes } = await load({ remotes: { bank: { ...BANK, password: 'file:password' } } });
    expect(remotes['bank']).toMatchObject({ host: BANK.host, password: 'from a file' });
    await expect(load({ remotes: { bank: { ...BANK, password: 'file:gone' } } })).rejects.toThrow(
      'remotes.bank.password',
    );
  });

  it('are faults where a feature finds them so', async () => {
    await expect(load({ push: [{ remote: 'bonk', path: '/in' }], remotes: { bank: BANK } })).rejects.toThrow(
      'there is no remote "bonk"',
    );
  });
});
