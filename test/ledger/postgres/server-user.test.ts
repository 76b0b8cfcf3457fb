import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRoot, openWorld, sayWhatNeedsRoot, type World } from './support/world.ts';
import { chooseServerUser, readUsers } from '../../../src/ledger/postgres/cluster.ts';

const POSTGRES = 'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash';
const NOBODY = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';

describe('readUsers', () => {
  it('reads names and numbers, and leaves out root and broken lines', () => {
    expect(readUsers(`root:x:0:0::/root:/bin/sh\n${POSTGRES}\n\nbroken\nold:*:-2:-2::/:/bin/false\n`)).toEqual([
      { name: 'postgres', uid: 101, gid: 104 },
    ]);
  });
});

describe.runIf(!isRoot)('chooseServerUser as an ordinary user', () => {
  it('runs the server as ourselves', async () => {
    expect(await chooseServerUser({ uid: 4711, gid: 4712 })).toBeUndefined();
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('chooseServerUser as root'), () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  async function chooseFrom(passwd: string, owner?: { uid: number; gid: number }) {
    const file = join(world.root, 'passwd');
    await writeFile(file, passwd);
    return chooseServerUser(owner, file);
  }

  it.each([
    ['postgres before nobody', `${NOBODY}\n${POSTGRES}`, undefined, { name: 'postgres', uid: 101, gid: 104 }],
    ['nobody where there is no postgres', NOBODY, undefined, { name: 'nobody', uid: 65534, gid: 65534 }],
    ['the owner of the cluster', POSTGRES, { uid: 4711, gid: 4712 }, { name: 'uid 4711', uid: 4711, gid: 4712 }],
    ['not root as owner', POSTGRES, { uid: 0, gid: 0 }, { name: 'postgres', uid: 101, gid: 104 }],
  ])('takes %s', async (_case, passwd, owner, expected) => {
    expect(await chooseFrom(passwd, owner)).toEqual(expected);
  });

  it('advises an ordinary user or DATABASE_URL when there is nobody', async () => {
    await expect(chooseFrom('root:x:0:0::/:/bin/sh')).rejects.toThrow(/refuses to run as root.*DATABASE_URL/);
    await expect(chooseServerUser(undefined, join(world.root, 'missing'))).rejects.toThrow('DATABASE_URL');
  });
});
