import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIntoLines, type LogLine } from '../../queue/support/log-lines.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { sshdIsInstalled, sshdVerdict, startTestSshd, type TestSshd } from '../../support/sshd.ts';

const verdict = sshdVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

describe.runIf(sshdIsInstalled())('startTransfers', () => {
  let sshd: TestSshd;
  let world: PipelineWorld;
  let logged: LogLine[];
  const there = (...names: string[]) => join(sshd.folder, ...names);
  beforeAll(async () => {
    sshd = await startTestSshd();
    for (const name of ['outgoing', 'results']) await mkdir(there(name));
    const { log, lines: kept } = logIntoLines();
    logged = kept;
    const { name: _, ...remote } = sshd.remote;
    const nowhere = { ...remote, port: 1 };
    const pull = { remote: 'bank', path: there('outgoing'), everyMs: 100 };
    const quick = { account: 'main', complete: { by: 'quiet', quietMs: 50, probes: 2 } };
    world = await openPipelineWorld({
      log,
      settings: {
        remotes: { bank: remote, nowhere },
        folders: [
          { path: 'drop/ach-charge', operation: 'ach-charge', ...quick, pull },
          { path: 'drop/card', operation: 'card', ...quick, pull: { ...pull, remote: 'nowhere' } },
        ],
        push: [
          { remote: 'bank', path: there('results'), marker: '.done' },
          { remote: 'nowhere', path: '/results' },
        ],
        sweepMs: 200,
      },
    });
  });
  afterAll(async () => {
    await world?.close();
    await sshd?.stop();
  });

  it('takes a file from one server to its results on another, while a third is away', async () => {
    await writeFile(there('outgoing', 'june.csv'), lines([achRow(1), achRow(2)]));
    const workers = await world.start();
    await expect.poll(() => world.states(), { timeout: 120_000 }).toEqual({ 'june.csv': 'completed' });
    const results = async () => (await readdir(there('results'))).filter((name) => name.endsWith('.result.csv.done'));
    await expect.poll(results).toHaveLength(1);
    expect(await readdir(there('outgoing', 'claimed'))).toEqual(['june.csv']);
    expect(logged.filter(({ code }) => code === 'REMOTE_UNREACHABLE').length).toBeGreaterThan(0);
    const broken = [...world.app.health.brokenTransfers.keys()].toSorted();
    expect(broken).toEqual(['pull:drop/card', 'push:nowhere:/results']);
    await workers.stop();
  });

  it('brings in what lies there and takes the results away before a single run ends', async () => {
    await writeFile(there('outgoing', 'july.csv'), lines([achRow(3), achRow(4)]));
    await world.finish();
    expect(await world.states()).toMatchObject({ 'july.csv': 'completed' });
    const [name = ''] = (await readdir(there('results'))).filter((one) => /^july.*\.result\.csv$/.test(one));
    expect(await readFile(there('results', name), 'utf8')).toBe((await world.outputs('result'))[name]);
  });
});
