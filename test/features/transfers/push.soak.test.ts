import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { App } from '../../../src/app.ts';
import { openRemote, type RemoteSession } from '../../../src/features/transfers/open-remote.ts';
import { transferHealth } from '../../../src/features/transfers/transfer-health.ts';
import { pushOutputs } from '../../../src/features/transfers/push.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { sshdIsInstalled, sshdVerdict, startTestSshd, type TestSshd } from './support/sshd.ts';
import { logIntoLines, type LogLine } from '../../queue/support/queue-world.ts';
import { transfers } from '../../../src/features/transfers/index.ts';

const verdict = sshdVerdict();

it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

describe.runIf(sshdIsInstalled())('pushOutputs', () => {
  let sshd: TestSshd;
  let world: PipelineWorld;
  let app: App;
  beforeAll(async () => {
    sshd = await startTestSshd();
    world = await openPipelineWorld({ features: [transfers] });
    app = { ...world.app, settings: { ...world.settings, remotes: { bank: sshd.remote } } };
  });
  afterAll(async () => {
    await world?.close();
    await sshd?.stop();
  });

  async function freshTarget(name: string, settings: { accounts?: string[]; marker?: string } = {}) {
    const path = join(sshd.folder, name);
    await mkdir(path);
    return { remote: 'bank', path, ...settings };
  }

  async function complete(name: string): Promise<void> {
    await world.drop('ach-charge', `${name}.csv`, lines(upTo(2).map((n) => achRow(n, { invoice: `${name}-${n}` }))));
    await world.finish();
  }

  async function outputsHere(prefix: string): Promise<string[]> {
    return (await readdir(world.settings.paths.out)).filter((name) => name.startsWith(prefix)).toSorted();
  }

  it('uploads every output written since it was told of the place, once, byte for byte', async () => {
    await complete('before');
    const target = await freshTarget('plain');
    expect(await pushOutputs(app, target)).toBe(0);
    await complete('june');
    const names = await outputsHere('june');
    expect(await pushOutputs(app, target)).toBe(names.length);
    expect((await readdir(target.path)).toSorted()).toEqual(names);
    for (const name of names) {
      const [here, there] = await Promise.all([
        readFile(join(world.settings.paths.out, name)),
        readFile(join(target.path, name)),
      ]);
      expect(there.equals(here)).toBe(true);
    }
    expect(await pushOutputs(app, target)).toBe(0);
  });

  it('lets a marker follow each, and leaves out other accounts', async () => {
    const marked = await freshTarget('marked', { marker: '.done' });
    const others = await freshTarget('others', { accounts: ['somebody'] });
    for (const target of [marked, others]) await pushOutputs(app, target);
    await complete('july');
    for (const target of [marked, others]) await pushOutputs(app, target);
    const names = await outputsHere('july');
    expect((await readdir(marked.path)).toSorted()).toEqual(names.flatMap((name) => [name, `${name}.done`]).toSorted());
    expect(await readdir(others.path)).toEqual([]);
  });

  it('never shows half a file, and finishes what was cut off', async () => {
    const target = await freshTarget('cut');
    await pushOutputs(app, target);
    await complete('august');
    const cutting: typeof openRemote = async (remote) => {
      const session = await openRemote(remote);
      const upload: RemoteSession['upload'] = async (_, path) => {
        await session.writeEmpty(path);
      };
      return { ...session, upload };
    };
    await expect(pushOutputs(app, target, cutting)).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
      message: expect.stringMatching(/\d+ bytes sent and 0 there/),
    });
    expect((await readdir(target.path)).filter((name) => !name.startsWith('.'))).toEqual([]);
    await pushOutputs(app, target);
    expect((await readdir(target.path)).toSorted()).toEqual(await outputsHere('august'));
  });

  it('uploads the others when the server refuses one, and says so', async () => {
    const target = await freshTarget('refused');
    await pushOutputs(app, target);
    await complete('march');
    const [refused = '', ...others] = await outputsHere('march');
    const inTheWay = join(target.path, `.${refused}.part`);
    await mkdir(inTheWay);
    await expect(pushOutputs(app, target)).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    expect(others.length).toBeGreaterThan(1);
    expect((await readdir(target.path)).filter((name) => !name.startsWith('.')).toSorted()).toEqual(others);
    await rm(inTheWay, { recursive: true });
    expect(await pushOutputs(app, target)).toBe(1);
    expect((await readdir(target.path)).toSorted()).toEqual([refused, ...others]);
  });

  it('puts the whole file in the place of one that is not', async () => {
    const target = await freshTarget('broken');
    await pushOutputs(app, target);
    await complete('may');
    const [name = ''] = await outputsHere('may');
    await writeFile(join(target.path, name), 'half');
    await pushOutputs(app, target);
    const there = await readFile(join(target.path, name));
    expect(there.equals(await readFile(join(world.settings.paths.out, name)))).toBe(true);
  });

  it('says that the server is away, and sends everything when it is back', async () => {
    const target = await freshTarget('away');
    await pushOutputs(app, target);
    await complete('april');
    await sshd.kill();
    await expect(pushOutputs(app, target)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await sshd.restart();
    await pushOutputs(app, target);
    expect((await readdir(target.path)).toSorted()).toEqual(await outputsHere('april'));
    await rm(target.path, { recursive: true });
  });
});

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
      features: [transfers],
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
    const counted = new Set<string>();
    onTestFinished(
      world.app.health.tally.listen((name, { way, remote, result }) => {
        if (name === 'paydrop_transfers_total') counted.add(`${way} ${remote} ${result}`);
      }),
    );
    const workers = await world.start();
    await expect.poll(() => world.states(), { timeout: 120_000 }).toEqual({ 'june.csv': 'completed' });
    const results = async () => (await readdir(there('results'))).filter((name) => name.endsWith('.result.csv.done'));
    await expect.poll(results).toHaveLength(1);
    expect(await readdir(there('outgoing', 'claimed'))).toEqual(['june.csv']);
    expect(logged.filter(({ code }) => code === 'REMOTE_UNREACHABLE').length).toBeGreaterThan(0);
    const broken = [...transferHealth(world.app).broken.keys()].toSorted();
    expect(broken).toEqual(['pull:drop/card', 'push:nowhere:/results']);
    await workers.stop();
    const expected = ['pull bank done', 'pull nowhere failed', 'push bank done', 'push nowhere failed'];
    expect([...counted]).toEqual(expect.arrayContaining(expected));
    expect(counted).not.toContain('pull nowhere done');
  });

  it('brings in what lies there and takes the results away before a single run ends', async () => {
    await writeFile(there('outgoing', 'july.csv'), lines([achRow(3), achRow(4)]));
    await world.finish();
    expect(await world.states()).toMatchObject({ 'july.csv': 'completed' });
    const [name = ''] = (await readdir(there('results'))).filter((one) => /^july.*\.result\.csv$/.test(one));
    expect(await readFile(there('results', name), 'utf8')).toBe((await world.outputs('result'))[name]);
  });
});
