import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isAlive } from '../../../src/ledger/postgres/postmaster-file.ts';

it.each([
  ['ourselves', process.pid, true],
  ['the first process, whoever owns it', 1, true],
  ['a process that has ended', spawnSync(process.execPath, ['--version']).pid, false],
  ['our group', 0, false],
  ['a group', -1, false],
  ['no number', Number.NaN, false],
])('isAlive knows %s', (_case, pid, expected) => {
  expect(isAlive(pid)).toBe(expected);
});
