import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../src/kernel/log.ts';
import { joinEmbeddedServer } from '../../src/ledger/postgres/join-embedded-server.ts';
import { type Daemon, startProgram } from './daemon.ts';
import { makePlace, type Place } from './installation.ts';
import { startRedis } from './redis.ts';

/** The output that a file of the durable peer gets last. */
export const PEER_LAST_OUTPUT = '.result.csv';

/** Rows of a batch of either peer. */
export const PEER_BATCH = 500;

type PeerOptions = { program: string; serviceUrl: string; accounts?: number };

/**
 * Runs the work with the folders of the durable peer. Its PostgreSQL is the one that paydrop brings, with the same
 * settings.
 * @param options.program compiled
 */
export async function withDurablePeer<Result>(
  { program, serviceUrl, accounts }: PeerOptions,
  work: (place: Place, start: (nodeFlags?: readonly string[]) => Promise<Daemon>) => Promise<Result>,
): Promise<Result> {
  const undo: (() => Promise<void>)[] = [];
  try {
    const place = await makePlace(accounts);
    undo.push(place.remove);
    const [data, taken] = [join(place.root, 'data'), join(place.root, 'taken')];
    for (const folder of [taken, place.out]) await mkdir(folder);
    const postgres = await joinEmbeddedServer({ dataDir: data, log: silentLog() });
    undo.push(postgres.leave);
    const redis = await startRedis(data);
    undo.push(redis.stop);
    const { host, port, user, database } = postgres.connection;
    const env = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database };
    const options = ['--service', serviceUrl, '--batch', String(PEER_BATCH), '--redis', redis.socket];
    const words = [program, ...options, '--taken', taken, '--out', place.out, ...place.drops];
    return await work(place, (nodeFlags = []) =>
      startProgram([...nodeFlags, ...words], { ready: 'the durable peer is running', env }),
    );
  } finally {
    for (const step of undo.toReversed()) await step();
  }
}
