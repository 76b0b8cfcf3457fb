import { describeKeyPlace, findKeyPlace } from '../../crypto/key-place.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { bad, type Check, type Finding, findingOf, ok, type Patient, warn } from './check.ts';
import { openFingerprinter } from '../../crypto/fingerprints/fingerprint.ts';
import { bodyPurpose } from '../../../workers/intake/cut-bodies.ts';
import { readNewestBody } from '../../ledger/key/read-originals.ts';
import { unwrapDataKey } from '../../crypto/data-key.ts';
import { openBytes } from '../../crypto/seal.ts';
import { counted } from '../../kernel/counted.ts';
import { type OpenCleaning, readOpenCleanings } from '../../ledger/retention/clean-storage.ts';
import { featureOfVaultKey } from '../../ledger/key/feature-key.ts';
import type { Account, Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { KeyNeed } from '../../ledger/backup/read-backup.ts';
import { personOfVaultKey } from '../../ledger/person/second-factor.ts';
import { findKeyEnds, type KeyEnd, openKeys } from '../../pgp/open-keys.ts';
import { sayErr } from '../print/say.ts';

/** The master key must be readable even without the ledger. Only the ledger knows whether it is the right one. */
export const keyFile: Check = {
  name: 'Key file',
  needs: 'nothing',
  async look({ settings, env }) {
    return [ok(`key ${openKeyRing(findKeyPlace(settings, env)).current.id} can be read`)];
  },
};

/** The key must be readable and open what the ledger keeps under it. */
export const masterKey: Check = {
  name: 'Master key',
  needs: 'ledger',
  async look({ settings, env, ledger }) {
    const keys = openKeyRing(findKeyPlace(settings, env));
    const { rows } = await ledger.pool.query<{ wrapped: Buffer }>(
      `SELECT wrapped FROM vault_key WHERE name = 'fingerprint'`,
    );
    if (!rows[0]) return [ok(`key ${keys.current.id} can be read; nothing is sealed with it yet`)];
    openFingerprinter(keys, rows[0].wrapped);
    return [ok(`key ${keys.current.id} can be read and belongs to this ledger`)];
  },
};

/** The keys must open the newest seal, which tests the whole chain from the master key to the bytes of a batch. */
export const seals: Check = {
  name: 'Seals',
  needs: 'ledger',
  async look({ settings, env, ledger }) {
    const body = await readNewestBody(ledger);
    if (!body) return [ok('nothing is sealed yet')];
    const keys = openKeyRing(findKeyPlace(settings, env));
    openBytes(unwrapDataKey(keys, body.fileId, body.wrapped), bodyPurpose(body.batchNo), body.sealed);
    return [ok(`batch ${body.fileId}/${body.batchNo}, the newest, can be opened`)];
  },
};

const DAY_MS = 86_400_000;

/** Checks whether keys and fingerprints destroyed more than a day ago are gone from the database's files. */
export const destroyedKeys: Check = {
  name: 'Destroyed keys',
  needs: 'ledger',
  async look({ ledger, clock }) {
    const before = new Date(clock.now().getTime() - DAY_MS);
    const open = await readOpenCleanings(ledger, before);
    return open.length > 0
      ? open.map(describe)
      : [ok('none of them stays in the files of the database for more than a day')];
  },
};

function describe({ table, files, since, why }: OpenCleaning): Finding {
  const what = table === 'file_secret' ? 'keys' : 'fingerprints';
  const found = `the files of the database still hold destroyed ${what} of ${counted(files, 'file')} since ${since.toISOString()}: ${why ?? 'not tried yet'}`;
  return warn(found, 'Run "paydrop retention clean" in a quiet hour.');
}

/** A new key has to reach every sender, who may be on vacation. */
const WARNING_DAYS = 30;

/** The accounts' OpenPGP keys must open, and must not be expired or revoked, or expire soon. */
export const openpgp: Check = {
  name: 'OpenPGP keys',
  needs: 'nothing',
  async look({ settings, clock }) {
    const findings: Finding[] = [];
    for (const account of settings.accounts.values()) findings.push(...(await lookAtAccount(account, clock)));
    return findings;
  },
};

async function lookAtAccount({ name, openpgp: config }: Account, clock: Patient['clock']): Promise<Finding[]> {
  if (!config) return [];
  try {
    const now = clock.now();
    const ends = await findKeyEnds(await openKeys(config, name), now);
    return ends.map((end) => judgeEnd(end, `account ${name}`, now));
  } catch (error) {
    return [findingOf(error, bad)];
  }
}

function judgeEnd({ whose, fingerprint, endsAt }: KeyEnd, where: string, now: Date): Finding {
  const key = `${where}: ${WHOSE[whose]} ${fingerprint}`;
  if (whose === 'former') return ok(`${key} opens messages still encrypted for it`);
  if (endsAt === 'ended') return bad(`${key} is expired or revoked`, MEND[whose]);
  if (endsAt === 'never') return ok(`${key} can be used and does not expire`);
  const says = `${key} expires at ${endsAt.toISOString()}`;
  return endsAt.getTime() - now.getTime() < WARNING_DAYS * DAY_MS ? warn(says, MEND[whose]) : ok(says);
}

const WHOSE = { own: 'our key', former: 'our former key', sender: "a sender's key" } as const;

const MEND = {
  own: 'Extend it, or make a new one and put it before the old one; then send the public key to every sender.',
  sender: 'Ask the sender for the extended or new public key and add it to "openpgp.senders" of the account.',
} as const;

/**
 * Returns the master keys that a backup needs and that are not at hand, and says on standard error what cannot be opened
 * without them.
 * @param file names the backup
 * @param isKnown whether the person said that nothing may be readable
 * @throws PipelineError MASTER_KEY_WRONG when nothing in it could be opened
 */
export function warnOfMissingKeys(
  settings: Settings,
  file: string,
  needs: readonly KeyNeed[],
  isKnown: boolean,
): KeyNeed[] {
  const { ids, remedy } = keysAtHand(settings);
  const missing = needs.filter(({ id }) => !ids.includes(id));
  if (missing.length === 0) return [];
  const says = missing.map(sayMissing).join(' ');
  if (missing.length === needs.length && !isKnown) {
    const next = `Nothing was changed. ${remedy} Then try again; with --without-keys it is restored all the same.`;
    throw new PipelineError('MASTER_KEY_WRONG', `restore the backup "${file}"`, says, { next });
  }
  sayErr(`Warning: ${says} ${remedy}`);
  return missing;
}

/** Says of each master key that a backup needs whether it is at hand. Without settings nobody knows where keys are. */
export function compareKeys(settings: Settings | undefined, needs: readonly KeyNeed[]) {
  const ids = settings && keysAtHand(settings).ids;
  return needs.map((need) => {
    const isHere = ids?.includes(need.id) ?? null;
    const says =
      isHere === false ? sayMissing(need) : `It needs master key ${need.id}${isHere ? ', which is at hand' : ''}.`;
    return { id: need.id, isHere, says };
  });
}

/** Returns the ids of the usable keys, and what to do about one that is missing. */
function keysAtHand(settings: Settings): { ids: string[]; remedy: string } {
  const place = findKeyPlace(settings, process.env);
  try {
    return { ids: openKeyRing(place).ids(), remedy: `Add a missing key to the others in ${describeKeyPlace(place)}.` };
  } catch (error) {
    if (error instanceof PipelineError) return { ids: [], remedy: error.message };
    throw error;
  }
}

function sayMissing({ id, files, others }: KeyNeed): string {
  const factors = others.filter((name) => personOfVaultKey(name) !== undefined).length;
  const closed = [
    ...(files > 0 ? [`the originals, batches and results of ${counted(files, 'file')}`] : []),
    ...others.flatMap((name) => featureOfVaultKey(name) ?? []).map((feature) => `what "${feature}" has sealed`),
    ...(factors > 0 ? [counted(factors, 'second factor')] : []),
  ];
  const what = closed.length > 0 ? ` Without it these cannot be opened: ${closed.join('; ')}.` : '';
  const start = others.includes('fingerprint') ? ' paydrop does not start without it.' : '';
  return `Master key ${id} is not at hand.${what}${start}`;
}
