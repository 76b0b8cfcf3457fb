import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sftpServers } from '../../../src/features/transfers/check-servers.ts';
import type { Settings } from '../../../src/config/config.ts';
import { sshdIsInstalled, sshdVerdict, startTestSshd, type TestSshd } from './support/sshd.ts';
import { openPatientWorld, WELL } from '../../cli/support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openPatientWorld);

it('has nothing to say where no server is used', async () => {
  expect(await world.look(sftpServers)).toEqual([]);
});

const verdict = sshdVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

describe.runIf(sshdIsInstalled())('sftpServers', () => {
  let sshd: TestSshd;
  beforeAll(async () => {
    sshd = await startTestSshd();
    await mkdir(join(sshd.folder, 'outgoing'));
    await writeFile(join(sshd.folder, 'outgoing', 'june.csv'), '');
  });
  afterAll(() => sshd.stop());

  const look = (remotes: TestSshd['remote'][], push: { remote: string; path: string }[]) => {
    const [folder, ...others] = world.settings.folders;
    const pull = { remote: 'bank', path: join(sshd.folder, 'outgoing'), everyMs: 60_000, after: 'keep' };
    const settings = {
      ...world.settings,
      remotes: Object.fromEntries(remotes.map((remote) => [remote.name, remote])),
      folders: [{ ...folder, pull }, ...others],
      push,
    } as unknown as Settings;
    return world.look(sftpServers, { settings });
  };

  it('lists the folders of each server that is used, and leaves the others alone', async () => {
    const unused = { ...sshd.remote, name: 'unused', port: 1 };
    expect(await look([sshd.remote, unused], [{ remote: 'bank', path: sshd.folder }])).toEqual([
      { level: 'ok', found: `remote bank: ${join(sshd.folder, 'outgoing')} can be listed, files in it: 1` },
      { level: 'ok', found: `remote bank: ${sshd.folder} can be listed, files in it: 0` },
    ]);
  });

  it('finds a folder that is not there beside one that is', async () => {
    const findings = await look([sshd.remote], [{ remote: 'bank', path: join(sshd.folder, 'results') }]);
    expect(findings.slice(0, 1)).toEqual(WELL);
    expect(findings[1]).toMatchObject({
      level: 'bad',
      found: expect.stringContaining(`remote bank: ${join(sshd.folder, 'results')}: cannot list the folder`),
      remedy: expect.stringContaining('Check the folder'),
    });
  });

  it('finds a server that is away, shows another key or lets nobody in, and says what to do', async () => {
    const { remote } = sshd;
    const remedies = async (change: Partial<TestSshd['remote']>) => {
      const findings = await look([{ ...remote, ...change }], []);
      expect(findings).toMatchObject([{ level: 'bad', found: expect.stringContaining('log in to remote "bank"') }]);
      return findings[0]?.remedy;
    };
    expect(await remedies({ port: 1 })).toContain('Check name, port and network');
    expect(await remedies({ hostKey: 'SHA256:another' })).toContain('Ask its administrator');
    expect(await remedies({ user: 'nobody-here' })).toContain('Check user');
  });
});
