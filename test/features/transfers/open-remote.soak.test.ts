import { execFileSync } from 'node:child_process';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRemote, type RemoteSession } from '../../../src/features/transfers/open-remote.ts';
import { sshdIsInstalled, sshdVerdict, startTestSshd, type TestSshd } from './support/sshd.ts';

const verdict = sshdVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

describe.runIf(sshdIsInstalled())('openRemote', () => {
  let sshd: TestSshd;
  let session: RemoteSession;
  beforeAll(async () => {
    sshd = await startTestSshd();
    session = await openRemote(sshd.remote);
  });
  afterAll(async () => {
    await session?.close();
    await sshd?.stop();
  });
  const at = (name: string) => join(sshd.folder, name);

  it('lists plain files with their sizes, and no folder or link', async () => {
    await writeFile(at('one.csv'), 'abc');
    await mkdir(at('folder'));
    await symlink(at('one.csv'), at('link.csv'));
    const files = await session.list(sshd.folder);
    expect(files.map(({ name, bytes }) => ({ name, bytes }))).toEqual([{ name: 'one.csv', bytes: 3 }]);
  });

  it('fetches and uploads bytes as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    await writeFile(at('there.bin'), bytes);
    await session.fetch(at('there.bin'), at('here.bin'));
    expect((await readFile(at('here.bin'))).equals(bytes)).toBe(true);
    await session.upload(at('here.bin'), at('back.bin'));
    expect((await readFile(at('back.bin'))).equals(bytes)).toBe(true);
  });

  it('knows what is there, renames it, and removes it once or twice', async () => {
    await session.writeEmpty(at('a.done'));
    expect(await session.stat(at('a.done'))).toMatchObject({ bytes: 0 });
    expect((await stat(at('a.done'))).mode & 0o777).toBe(0o644);
    await session.rename(at('a.done'), at('b.done'));
    expect(await session.stat(at('a.done'))).toBeUndefined();
    await session.remove(at('b.done'));
    await session.remove(at('b.done'));
    expect(await session.stat(at('b.done'))).toBeUndefined();
  });

  it('makes a folder that is there already', async () => {
    await session.makeFolder(at('claimed'));
    await session.makeFolder(at('claimed'));
    await expect(session.list(at('claimed'))).resolves.toEqual([]);
  });

  it('does not put a file in the place of another', async () => {
    await writeFile(at('old'), 'old');
    await writeFile(at('new'), 'new');
    await expect(session.rename(at('new'), at('old'))).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    expect(await readFile(at('old'), 'utf8')).toBe('old');
  });

  it('refuses a server that shows another key than the pinned one, and sends it nothing', async () => {
    const hostKey = `SHA256:${'A'.repeat(43)}`;
    await expect(openRemote({ ...sshd.remote, hostKey })).rejects.toMatchObject({
      code: 'REMOTE_KEY',
      message: expect.stringContaining(`it presents ${sshd.remote.hostKey}, but hostKey is ${hostKey}`),
    });
  });

  it('says that the log-in failed', async () => {
    const { key: _, ...remote } = sshd.remote;
    await expect(openRemote({ ...remote, password: 'wrong-password' })).rejects.toMatchObject({
      code: 'REMOTE_LOGIN',
      message: expect.not.stringContaining('wrong-password'),
    });
  });

  it('says what the server refused, without the path', async () => {
    const path = at('4512345678901234-missing');
    await expect(session.list(path)).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
      message: expect.stringContaining('there is no such file or folder'),
    });
    await expect(session.fetch(path, at('x'))).rejects.toMatchObject({
      message: expect.not.stringContaining('4512345678901234'),
    });
  });

  it('says that a server cannot be reached, before and in the middle of a log-in', async () => {
    const other = await startTestSshd();
    const open = await openRemote(other.remote);
    await other.kill();
    await expect(open.list(other.folder)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await expect(openRemote(other.remote)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await open.close();
    await other.stop();
  });

  it('gives up a server that lets it in and never opens its SFTP part', async () => {
    const silent = await startTestSshd({ subsystem: '/bin/sleep 3600' });
    await expect(openRemote({ ...silent.remote, timeoutMs: 2_000 })).rejects.toMatchObject({
      code: 'REMOTE_UNREACHABLE',
      message: expect.stringContaining('it did not answer in time'),
    });
    await silent.stop();
  });

  it('gives up a file of which no byte goes through', async () => {
    // Opening a pipe that nothing reads blocks the server forever.
    execFileSync('mkfifo', [at('pipe')]);
    await writeFile(at('local'), 'abc');
    const uploading = async () => {
      const open = await openRemote({ ...sshd.remote, timeoutMs: 2_000 });
      try {
        await open.upload(at('local'), at('pipe'));
      } finally {
        await open.close();
      }
    };
    await expect(uploading()).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
  });
});
