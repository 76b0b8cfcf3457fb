import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { openRemote, type RemoteSession } from '../../../src/files/remote/open-remote.ts';
import { pushOutputs } from '../../../workers/transfer/start-transfers.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { sshdIsInstalled, sshdVerdict, startTestSshd, type TestSshd } from '../../support/sshd.ts';

const verdict = sshdVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

describe.runIf(sshdIsInstalled())('pushOutputs', () => {
  let sshd: TestSshd;
  let world: PipelineWorld;
  let app: App;
  beforeAll(async () => {
    sshd = await startTestSshd();
    world = await openPipelineWorld();
    app = { ...world.app, settings: { ...world.settings, remotes: new Map([['bank', sshd.remote]]) } };
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
