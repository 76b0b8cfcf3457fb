import { spawnSync } from 'node:child_process';
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../src/ledger/postgres/cluster.ts';
import { hasData, initCluster } from '../../../src/ledger/postgres/init-cluster.ts';
import { openWorld, type World } from './support/world.ts';

let world: World;
let cluster: Cluster;
beforeEach(async () => {
  world = await openWorld();
  cluster = await world.openCluster();
});
afterEach(() => world.close());

describe('initCluster', () => {
  it('leaves one complete cluster when two make it at once, and clears what a dead process left', async () => {
    const deadPid = spawnSync(process.execPath, ['--version']).pid;
    await mkdir(join(cluster.home, `init-${deadPid}-cafe`, 'base'), { recursive: true });
    await mkdir(join(cluster.home, `init-1-cafe`));
    expect(await hasData(cluster)).toBe(false);
    await Promise.all([initCluster(cluster), initCluster(cluster)]);
    expect(await hasData(cluster)).toBe(true);
    expect((await readdir(cluster.home)).sort()).toEqual(['data', 'init-1-cafe']);
    const access = await readFile(join(cluster.home, 'data', 'pg_hba.conf'), 'utf8');
    const rules = access.split('\n').filter((line) => /^\w/.test(line));
    expect(rules.filter((line) => line.startsWith('local'))).not.toEqual([]);
    for (const rule of rules) expect(rule).toMatch(/^(local .* trust|host .* reject)$/);
  });

  it('leaves nothing behind when it fails, and says why', async () => {
    const programs = join(world.root, 'programs');
    await mkdir(programs);
    const script = '#!/bin/sh\necho "initdb: error: No space left on device" >&2\nexit 1\n';
    await writeFile(join(programs, 'initdb'), script, { mode: 0o755 });
    await expect(initCluster({ ...cluster, findPrograms: async () => programs })).rejects.toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringContaining('the disk is full'),
    });
    expect(await readdir(cluster.home)).toEqual([]);
  });
});

describe('hasData', () => {
  it('does not take a broken disk for a new cluster', async () => {
    await rm(cluster.home, { recursive: true });
    await writeFile(cluster.home, 'not a folder');
    await expect(hasData(cluster)).rejects.toThrow('ENOTDIR');
    await access(cluster.home);
  });
});
