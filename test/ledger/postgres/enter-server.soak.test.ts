import { rename } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESENCE_LOCK } from '../../../src/ledger/postgres/ask-server.ts';
import { type Cluster, dataFolderOf } from '../../../src/ledger/postgres/cluster.ts';
import { openWorld, serverPid, type World } from './support/world.ts';
import { enterServer, leaveServer } from '../../../src/ledger/postgres/join-embedded-server.ts';

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await openWorld();
  cluster = await world.openCluster();
});
afterAll(() => world.close());

describe('enterServer', () => {
  it('makes the cluster, starts the server, and joins one that runs', async () => {
    const first = await enterServer(cluster);
    const second = await enterServer(cluster);
    expect(first.connection).toEqual(second.connection);
    await leaveServer(cluster, first);
    await leaveServer(cluster, second);
    expect(await serverPid(cluster)).toBeUndefined();
  });

  it('does not put an empty ledger in the place of a lost one', async () => {
    await rename(dataFolderOf(cluster), `${dataFolderOf(cluster)}-away`);
    await expect(enterServer(cluster, { mayInit: false })).rejects.toThrow('its data are gone');
    await rename(`${dataFolderOf(cluster)}-away`, dataFolderOf(cluster));
    const presence = await enterServer(cluster, { mayInit: false });
    await leaveServer(cluster, presence);
  });

  it('gives up early on a server that is stopped, and comes in when it goes on', async () => {
    const presence = await enterServer(cluster);
    const pid = (await serverPid(cluster))!;
    process.kill(pid, 'SIGSTOP');
    try {
      await expect(enterServer(cluster, { silenceMs: 0 })).rejects.toThrow('the server runs and answers nobody');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const second = await enterServer(cluster);
    await leaveServer(cluster, presence);
    await leaveServer(cluster, second);
  });

  it('gives up on a server that lets nobody in', async () => {
    const presence = await enterServer(cluster);
    const holder = new Client(presence.connection);
    await holder.connect();
    await presence.client.end();
    await holder.query(`SELECT pg_advisory_lock(${PRESENCE_LOCK})`);
    await expect(enterServer(cluster, { patienceMs: 100 })).rejects.toThrow('the server let nobody in for 0 seconds');
    await holder.end();
    await leaveServer(cluster, await enterServer(cluster));
  });
});
