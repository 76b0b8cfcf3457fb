import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPathFaults } from '../../src/config/config-faults.ts';
import { dataPaths, resolveSettings } from '../../src/config/config.ts';
import { configWith, FOLDER } from '../kernel/support/config-world.ts';

const ROOT = '/srv';

/** Returns the paths of the faulty settings. */
function faultsOf(parts: { folders: object[]; paths: Record<string, string> }): string[] {
  const { folders, paths } = resolveSettings(configWith({}), ROOT, {});
  const given = Object.fromEntries(Object.entries(parts.paths).map(([name, path]) => [name, resolve(ROOT, path)]));
  const data = given['data'] ?? paths.data;
  return findPathFaults({
    paths: { ...paths, ...given, ...dataPaths(data) },
    folders: parts.folders.map((folder) => {
      const { path, work = 'data/work' } = folder as { path: string; work?: string };
      return { ...folders[0]!, id: path, path: resolve(ROOT, path), work: join(ROOT, work) };
    }),
  }).map((fault) => fault.path);
}

describe('findPathFaults', () => {
  it.each<[string, object, Record<string, string>]>([
    ['folders.0.work', { work: '.' }, {}],
    ['folders.0.work', { work: 'data' }, {}],
    ['folders.0.work', { work: 'data/archive/x' }, {}],
    ['folders.0.work', { work: 'out' }, {}],
    ['folders.0.work', { work: 'quarantine/.work' }, {}],
    ['folders.1.work', { work: 'data/work/fast' }, {}],
    ['paths.out', {}, { out: 'data/archive' }],
    ['paths.quarantine', {}, { quarantine: 'data/journal' }],
    ['paths.quarantine', {}, { quarantine: 'out' }],
    ['paths.quarantine', {}, { quarantine: 'var', out: 'var/out' }],
  ])('finds at %s a folder that would be taken for a claim or a drop: %j %j', (path, folder, paths) => {
    const folders = [
      { ...FOLDER, ...folder },
      { ...FOLDER, path: 'drop/b' },
    ];
    expect(faultsOf({ folders, paths })).toContain(path);
  });

  it('takes folders of ours beside each other, also within the data folder', () => {
    const folders = [
      { ...FOLDER, work: 'data/fast' },
      { ...FOLDER, path: 'drop/b' },
    ];
    expect(faultsOf({ folders, paths: { out: 'data/out', quarantine: 'data/quarantine' } })).toEqual([]);
  });
});
