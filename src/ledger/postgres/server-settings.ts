import { join } from 'node:path';
import { type Cluster, dataFolderOf } from './cluster.ts';
import { replaceFile } from './replace-file.ts';

/** The whole postgresql.conf; everything else has PostgreSQL's default. */
const SETTINGS = {
  // A socket in a private folder needs no password and cannot be reached from the network.
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',

  max_connections: 100,
  max_logical_replication_workers: 0,
  shared_buffers: '64MB',
  max_wal_size: '1GB',
  min_wal_size: '32MB',

  client_encoding: 'utf8',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
  default_text_search_config: 'pg_catalog.simple',

  // The log must never hold a data value. Statement errors quote values in their first line (`invalid input syntax for
  // type integer: "..."`), so they are not logged: the client gets them. The log covers the server's own life (LOG,
  // FATAL, PANIC). The other settings are a second net, in case the first is raised for a while.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_min_duration_statement: -1,
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_error_verbosity: 'terse',
} as const;

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' } as const;
/** For tests, whose processes all share one server. */
const FLEETING = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 500 } as const;

/** Rewrites postgresql.conf before each start, so that a newer paydrop brings its settings to an older cluster. */
export async function writeSettings(cluster: Cluster, socketFolder: string): Promise<void> {
  const path = join(dataFolderOf(cluster), 'postgresql.conf');
  await replaceFile(path, settingsText({ socketFolder, fsync: cluster.fsync }), cluster.user);
}

export function settingsText(options: { socketFolder: string; fsync: boolean }): string {
  const settings = {
    ...SETTINGS,
    ...(options.fsync ? DURABLE : FLEETING),
    unix_socket_directories: quoteListItem(options.socketFolder),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoteSetting(String(value))}`);
  return ['# Written by paydrop before every start. Use ALTER SYSTEM for settings of your own.', ...lines, ''].join(
    '\n',
  );
}

/** Quotes an item of a list; without quotes, a comma in the path would make two folders. */
function quoteListItem(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function quoteSetting(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
