import {
  assertSchemaCompatibility,
  type PgQueryable,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import type { QueueConnection } from './named-queue.ts';

export type PostgresSettings = {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly database?: string;
};

const SCHEMA = 'paydrop_queue';

/** Connections for queries; one more waits for notifications. Every query is short, so a few serve many workers. */
const POOL_SIZE = 4;

/**
 * Connects BullMQ to PostgreSQL, in its own schema beside the ledger. A process uses at most five connections, and one
 * when idle.
 *
 * On its own BullMQ opens a pool of ten and a listener for every queue and worker, about fifty connections. Here all
 * share one PostgresConnection. BullMQ's "does not own the connection" mode allows that but lacks two things. So the
 * code below runs queries on the shared listener one at a time, and wakes waiting workers when the listener is lost.
 *
 * The first connect must say `migrate`, or BullMQ refuses a database without its tables. It remembers for good whether
 * that connect worked, so a PostgresConnection that failed once cannot be reused.
 */
export async function connectPostgres(
  settings: PostgresSettings,
  onError: (error: unknown) => void,
): Promise<QueueConnection> {
  const connection = new PostgresConnection({
    ...settings,
    schema: SCHEMA,
    migrate: true,
    max: POOL_SIZE,
    application_name: 'paydrop-queue',
    // The sweeps stand in for rings lost in a power cut, so nothing waits until a ring is on disk.
    options: '-c synchronous_commit=off',
    keepAlive: true,
    connectionTimeoutMillis: 8_000,
    // A silent connection would otherwise hold its place in the small pool for a quarter of an hour.
    query_timeout: 30_000,
  });
  connection.on('error', onError);
  // Every queue and worker listens for the loss of its listener; Node would report more than ten as a leak.
  connection.setMaxListeners(0);
  // Errors on a connection in use reach the caller of the query; without this listener they would also end the process.
  connection.pool.on('connect', (client) => client.on('error', () => {}));
  askListenerOneByOne(connection);
  try {
    await connection.waitUntilReady();
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    makeBackend: (name, options) => shareConnection(connection, name, options),
    heal: () => restoreSchema(connection),
    close: () => connection.close(),
  };
}

/**
 * Longest time, in seconds, that an idle worker waits before it checks again. BullMQ would let it wait up to an hour
 * for a delayed job. One missed notification or failed check would leave a job that long.
 */
const LONGEST_WAIT_S = 5;

/** Returns one queue's or worker's view of the shared connection. Closing it leaves the connection open. */
function shareConnection(connection: PostgresConnection, name: string, options: object): PostgresQueueBackend {
  const backend = new PostgresQueueBackend(connection, name, { ...options, connection: {} }, false);
  Object.defineProperty(backend, 'maximumBlockTimeout', { value: LONGEST_WAIT_S });
  // A worker waiting on a lost listener would hear nothing until its wait ends. Ending and restarting the wait makes it
  // listen on the new one.
  connection.on('listenerinvalidated', () => {
    void backend.disconnectBlocking();
    void backend.reconnectBlocking();
  });
  return backend;
}

/** Serializes queries on the listener: several workers start at once, and node-postgres 9 will refuse parallel ones. */
function askListenerOneByOne(connection: PostgresConnection): void {
  const lined = new WeakSet<PgQueryable>();
  const getListener = connection.getListenClient.bind(connection);
  connection.getListenClient = async () => {
    const client = await getListener();
    if (!lined.has(client)) lineUpQueries(client);
    lined.add(client);
    return client;
  };
}

function lineUpQueries(client: PgQueryable): void {
  const ask = client.query.bind(client);
  let last: Promise<unknown> = Promise.resolve();
  client.query = <Row>(text: string, values?: readonly unknown[]) => {
    const answer = last.then(() => ask<Row>(text, values));
    last = answer.catch(() => {});
    return answer;
  };
}

/**
 * Recreates the tables after `DROP SCHEMA … CASCADE`, or a restore of a database without them; one read if they exist.
 * Open connections keep working: BullMQ sends plain text queries, which do not refer to the old tables. The listener
 * uses the channel of the whole database.
 */
async function restoreSchema(connection: PostgresConnection): Promise<void> {
  const client = await connection.pool.connect();
  try {
    await assertSchemaCompatibility(client, SCHEMA).catch(async (error: unknown) => {
      if (!(error instanceof SchemaMigrationRequiredError)) throw error;
      await runMigrations(client, SCHEMA);
    });
  } finally {
    client.release();
  }
}
