import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import { FolderConfig, type OpenPgpConfig } from '../../../schemas/config.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { findRestriction } from '../../../schemas/restrictions.ts';
import { systemClock } from '../../kernel/clock.ts';
import { CONFIG_FILE, loadSettings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { type FolderRules, rulesOfFolder } from '../../explain/validate/check-content.ts';
import { isMessageName } from '../../files/file-names.ts';
import { readPiecesNow } from '../../kernel/file-bytes.ts';
import { checkMessage, type MessageFault } from '../../pgp/check-message.ts';
import { openKeys } from '../../pgp/open-keys.ts';
import { openMessage } from '../../pgp/open-message.ts';

/** `maxBytes` is undefined when no folder would take the file. */
export type ChosenRules = FolderRules & DropRules;

/**
 * Returns the rules for checking a file: those of the account's folder for this operation. Without a configuration they
 * are the defaults for a US account in dollars, so that a sender can check a file anywhere.
 * @param profile reads the file; without it, a folder with a profile cannot say how
 * @throws PipelineError USAGE; RESTRICTED when the service does not offer the operation on the account's server
 */
export function chooseRules(
  operation: string,
  account: string | undefined,
  dir: string,
  profile?: Profile,
): ChosenRules {
  if (!isFolderOperation(operation)) {
    const known = Object.keys(FOLDER_OPERATIONS).join(', ');
    throw new PipelineError('USAGE', `validate as "${operation}"`, `it must be one of ${known}`);
  }
  const isAnywhere = account === undefined && !existsSync(join(dir, CONFIG_FILE));
  const rules = isAnywhere ? defaultRules(operation) : configuredRules(operation, account, dir, profile !== undefined);
  if (rules.folder.profile !== undefined && !profile) throw needsProfile(rules.folder.profile);
  const { server } = rules.account;
  const restriction = findRestriction({ operation: FOLDER_OPERATIONS[operation].operation, server });
  if (restriction === undefined) return { ...rules, profile };
  throw new PipelineError('RESTRICTED', `validate as "${operation}"`, restriction);
}

function needsProfile(name: string): PipelineError {
  const next = `Run "paydrop profile export ${name} > ${name}.yaml" and give --profile ${name}.yaml.`;
  return new PipelineError('USAGE', 'validate the file', `its folder reads files by the profile "${name}"`, { next });
}

function isFolderOperation(text: string): text is FolderOperation {
  return Object.hasOwn(FOLDER_OPERATIONS, text);
}

function defaultRules(operation: FolderOperation): ChosenRules {
  return {
    operation,
    account: { server: 'NA', country: 'US', currency: 'USD' },
    folder: { ...FolderConfig.parse({ path: '-', account: '-', operation }), routingCheck: true },
    today: dayInZone(systemClock.now(), 'UTC'),
    openpgp: undefined,
    maxBytes: undefined,
    limits: { fileRows: undefined, fileCents: undefined },
    approvalDue: false,
  };
}

function configuredRules(
  operation: FolderOperation,
  name: string | undefined,
  dir: string,
  hasProfile: boolean,
): ChosenRules {
  const { folders, accounts } = loadSettings(dir, process.env);
  const fitting = folders.filter((row) => row.operation === operation && (name ?? row.account) === row.account);
  const folder = fitting.find((row) => (row.profile !== undefined) === hasProfile) ?? fitting[0];
  const account = accounts.get(name ?? folder?.account ?? '');
  if (!account) {
    const reason = name === undefined ? `no folder takes ${operation}` : `there is no account "${name}"`;
    const next = `Give --account with one of ${[...accounts.keys()].join(', ')}.`;
    throw new PipelineError('USAGE', `validate as "${operation}"`, reason, { next });
  }
  const routingCheck = account.country === 'US';
  const chosen = folder ?? { ...FolderConfig.parse({ path: '-', account: account.name, operation }), routingCheck };
  return {
    ...rulesOfFolder(account, chosen, systemClock.now()),
    openpgp: account.openpgp && { account: account.name, config: account.openpgp },
    // Without a folder, its default limit must not refuse the file.
    ...(!folder && { maxBytes: undefined }),
  };
}

/** What `openDrop` needs of the configuration. */
export type DropRules = {
  readonly folder: { readonly encryption: 'required' | 'optional'; readonly profile?: string | undefined };
  readonly openpgp: { readonly account: string; readonly config: OpenPgpConfig } | undefined;
  readonly maxBytes: number | undefined;
};

/** Reader of an open file's rows as bytes; each piece is overwritten by the next. */
export type OpenedDrop = {
  readonly contentOf: (file: FileHandle) => AsyncIterable<Uint8Array>;
};

/**
 * Determines how a file would arrive: as plain rows, or as a message, which is read once to its end.
 * @throws PipelineError PGP_KEY
 */
export async function openDrop(
  path: string,
  { folder, openpgp, maxBytes = Number.MAX_SAFE_INTEGER }: DropRules,
): Promise<OpenedDrop | MessageFault> {
  if (!isMessageName(path))
    return folder.encryption === 'required' ? { code: 'PGP_PLAIN' } : { contentOf: (file) => readPiecesNow(file.fd) };
  if (!openpgp) return { code: 'PGP_NO_KEY' };
  const keys = await openKeys(openpgp.config, openpgp.account);
  const message = await checkMessage(createReadStream(path), keys, { at: systemClock.now(), maxBytes });
  return 'code' in message
    ? message
    : { contentOf: (file) => openMessage(file.createReadStream({ autoClose: false }), message.key) };
}
