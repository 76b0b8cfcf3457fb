import { describe, expect, it } from 'vitest';
import { settingsText } from '../../../src/ledger/postgres/start-server.ts';

function readSettings(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+) = '(.*)'$/gm)].map(([, name, value]) => [name, value]));
}

describe('settingsText', () => {
  it.each([
    [true, 'on'],
    [false, 'off'],
  ])('with fsync %s has durability %s', (fsync, expected) => {
    const settings = readSettings(settingsText({ socketFolder: '/run/x', fsync }));
    expect(settings).toMatchObject({ fsync: expected, synchronous_commit: expected, full_page_writes: expected });
  });

  it('listens to its socket only and logs no values', () => {
    expect(readSettings(settingsText({ socketFolder: '/run/x', fsync: true }))).toMatchObject({
      listen_addresses: '',
      unix_socket_directories: '"/run/x"',
      unix_socket_permissions: '0700',
      timezone: 'UTC',
      client_encoding: 'utf8',
      log_min_messages: 'log',
      log_min_error_statement: 'panic',
      log_statement: 'none',
      log_parameter_max_length: '0',
      log_parameter_max_length_on_error: '0',
      log_error_verbosity: 'terse',
    });
  });

  it('quotes a path with every sign that means something', () => {
    const text = settingsText({ socketFolder: `/a, b/c"d/e'f/g\\h`, fsync: true });
    expect(text).toContain(`unix_socket_directories = '"/a, b/c""d/e''f/g\\\\h"'\n`);
  });
});
