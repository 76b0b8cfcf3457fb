import {
  assertSchemaCompatibility,
  type PgQueryable,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import type { QueueConnection } from './queue-connection.ts';

export type PostgresSettings = {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly database?: string;
};

const SCHEMA = 'paydrop_queue';

/** Connections for queries; one more waits for notifications. Every query is short, so few serve many workers. */
const POOL_SIZE = 4;

/**
 * Connects BullMQ to PostgreSQL, in a schema of its own beside the ledger: at most five connections a process, and one
 * when nothing moves.
 *
 * Left to itself BullMQ opens a pool of ten and a listener for every queue and every worker, some fifty connections.
 * So all of them get one PostgresConnection here. BullMQ's "does not own the connection" mode is made for that, but it
 * lacks two things, which are added below: queries on the shared listener one at a time, and a wake-up of the waiting
 * workers when the listener is lost.
 *
 * The first connect must say `migrate`, or BullMQ refuses a database without its tables. It remembers for good whether
 * that first connect worked, so a PostgresConnection that failed once cannot be used again.
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
    // What a power cut takes from the queue, the sweep asks for again; so nothing waits until a job is on the disk.
    options: '-c synchronous_commit=off',
    keepAlive: true,
    connectionTimeoutMillis: 8_000,
    // A connection that went silent would otherwise keep its place in the small pool for a quarter of an hour.
    query_timeout: 30_000,
  });
  connection.on('error', onError);
  // Every queue and every worker listens for the loss of its listener; Node would take more than ten for a leak.
  connection.setMaxListeners(0);
  // Of a connection that breaks while it is used, whoever uses it hears; without a listener it would end the process.
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
 * A worker that waits looks again after this long, in seconds, whatever it was told. BullMQ would let it wait up to an
 * hour for a delayed job, so that one notification missed, or one failed look of its own, leaves a job lying that long.
 */
const LONGEST_WAIT_S = 5;

/** One queue's or worker's view of the shared connection. Closing it leaves the connection open. */
function shareConnection(connection: PostgresConnection, name: string, options: object): PostgresQueueBackend {
  const backend = new PostgresQueueBackend(connection, name, { ...options, connection: {} }, false);
  Object.defineProperty(backend, 'maximumBlockTimeout', { value: LONGEST_WAIT_S });
  // A worker that waits on a lost listener would hear nothing until its next delayed job, up to an hour later. To end
  // its wait and to begin anew makes it listen on the new one.
  connection.on('listenerinvalidated', () => {
    void backend.disconnectBlocking();
    void backend.reconnectBlocking();
  });
  return backend;
}

/** Several workers begin to listen at once; node-postgres 9 will refuse a query while another one is running. */
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
 * Makes the tables anew after `DROP SCHEMA … CASCADE`, or a restore of a database that had none. Connections that are
 * open go on working: BullMQ sends plain text queries, so nothing on them refers to the old tables, and the listener
 * hears the channel of the whole database. When the tables are there it is one read.
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
