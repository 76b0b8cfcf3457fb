import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Config } from '../../schemas/config.ts';
import { SECRET_PATHS } from '../../schemas/features.ts';
import { SETTING_EFFECTS } from '../../schemas/setting-effects.ts';

/** A part of paydrop.yaml by its name at the top level. */
export type Section = keyof Config;

export const SECTIONS = Object.keys(Config.shape) as Section[];

const TAKEN_UP = Object.entries(SETTING_EFFECTS).flatMap(([path, { by }]) => (by === 'itself' ? [path] : []));

/** Sections from which a running process takes up changes. The others decide about money, or are used at start only. */
export const RELOADED = SECTIONS.filter((section) => TAKEN_UP.some((path) => path.startsWith(section)));

/**
 * Hashes of a section, by which a change of it shows. `open` may be stored: it leaves out the values of secrets, which
 * could otherwise be guessed from it. `whole` includes those that stand in the file and stays in memory.
 */
export type SectionMark = { readonly open: string; readonly whole: string };

export type SectionMarks = Readonly<Record<Section, SectionMark>>;

/** Names of settings that are secrets, or whose text may hold one. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  'agentCode',
  'password',
  'key',
  'passphrase',
  'smtpUrl',
  'url',
  'secret',
  'clientSecret',
  'masterKey',
  ...SECRET_PATHS.map((path) => path.slice(path.lastIndexOf('.') + 1)),
]);

export function markSections(config: Config): SectionMarks {
  const marks = SECTIONS.map((section) => {
    const value = config[section];
    const open = SECRET_NAMES.has(section) ? withoutSecret(value) : value;
    return [section, { open: hashOf(open, true), whole: hashOf(value, false) }];
  });
  return Object.fromEntries(marks) as SectionMarks;
}

function hashOf(value: unknown, hides: boolean): string {
  const text = JSON.stringify(value, (name, inner: unknown) => {
    if (hides && SECRET_NAMES.has(name)) return withoutSecret(inner);
    // The order in which settings are written says nothing.
    return isGroup(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  });
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 32);
}

/** Keeps a place such as `env:NAME`, which names a secret without showing it. */
function withoutSecret(value: unknown): unknown {
  return typeof value === 'string' && !/^(env|file):/.test(value) ? '' : value;
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How the file stood when it was read. A file that differs in any of these was changed. */
export type FileStamp = { readonly at: Date; readonly bytes: number; readonly inode: number };

/** Returns undefined when there is no such file. */
export function stampOf(path: string): FileStamp | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && { at: stats.mtime, bytes: stats.size, inode: stats.ino };
}

export function isSameStamp(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  if (!one || !other) return one === other;
  return one.at.getTime() === other.at.getTime() && one.bytes === other.bytes && one.inode === other.inode;
}

/** Says that running processes use an older configuration. Times are in UTC. */
export function sayStale({ changedAt, usedAt, sections }: StaleSettings): string {
  const since = changedAt === undefined ? '' : ` at ${inSeconds(changedAt)}`;
  return `The configuration was changed${since}; running processes still use ${sayOlder(usedAt)}: ${sections.join(', ')}`;
}

/** Names the configuration of this time. */
export function sayOlder(usedAt: Date | undefined): string {
  return usedAt === undefined ? 'another' : `the one of ${inSeconds(usedAt)}`;
}

function inSeconds(at: Date): string {
  return at.toISOString().replace(/\.\d+/, '');
}

/** `changedAt`, `usedAt`: when the file was changed, and when the one in use was. */
type StaleSettings = {
  readonly changedAt: Date | undefined;
  readonly usedAt: Date | undefined;
  readonly sections: readonly string[];
};

export const RESTART = 'Restart paydrop.';
