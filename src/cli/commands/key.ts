import { rewrapTotpSecret } from '../../crypto/totp.ts';
import { personOfVaultKey } from '../../ledger/person/second-factor.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { type KeyUse, makeKeyCurrent, readKeyUses, retireKey, rewrapAll } from '../../ledger/key/master-keys.ts';
import { withLock } from '../../ledger/engine/with-lock.ts';
import { describeKeyPlace, findKeyPlace, type KeyPlace } from '../../crypto/key-place.ts';
import { type KeyRing, openKeyRing } from '../../crypto/key-ring.ts';
import { loadMasterKeys, type MasterKey, newMasterKey, replaceMasterKeyFile } from '../../crypto/master-key.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { operatorName } from '../option-values.ts';
import { textTable } from '../print/table.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { rewrapDataKey, rewrapKey } from '../../crypto/data-key.ts';
import { rewrapFingerprintKey } from '../../crypto/fingerprints/fingerprint.ts';
import { featureOfVaultKey } from '../../ledger/key/feature-key.ts';

const list: CliCommand = {
  name: 'list',
  about: 'List the master keys by id: which is current, and how much each wraps',
  options: [JSON_OPTION],
  notes: ['The id of a key reveals nothing about it.'],
  examples: ['key list', 'key list --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const place = findKeyPlace(settings, process.env);
      const ring = openKeyRing(place);
      const uses = await readKeyUses(ledger);
      const unused = ring.ids().filter((id) => !uses.some((use) => use.id === id));
      const noted = uses.find((use) => use.isCurrent)?.id ?? ring.current.id;
      const keys = [
        ...uses,
        ...unused.map((id) => ({ id, files: 0, others: 0, isCurrent: false, retiredAt: null })),
      ].map((use) => ({ ...use, isCurrent: use.id === noted, isHere: ring.ids().includes(use.id) }));
      print(call, { place: describeKeyPlace(place), keys }, () => {
        const rows = keys.map((key) => [
          key.id,
          stateOf(key),
          key.isHere ? 'yes' : 'no',
          String(key.files),
          String(key.others),
        ]);
        const table = textTable(['Key', 'State', 'Here', 'Files', 'Others'], rows, [3, 4]);
        return `Keys come from ${describeKeyPlace(place)}.\n\n${table}`;
      });
    });
    return EXIT.ok;
  },
};

function stateOf({ isCurrent, retiredAt }: { isCurrent: boolean; retiredAt: Date | null }): string {
  if (retiredAt) return `retired ${retiredAt.toISOString()}`;
  return isCurrent ? 'current' : '';
}

const rotate: CliCommand = {
  name: 'rotate',
  about: 'Make a new master key current and wrap everything with it, during operation',
  options: [JSON_OPTION],
  notes: [
    `If the key is in a file, a new one is made and put first. If it comes from the environment or a command, supply the
new key first and the old ones after it. Hosts with their own key file need the new key before.`,
    'If it is interrupted, run it again to finish. The old key is needed until "paydrop key retire".',
  ],
  examples: ['key rotate', 'key rotate --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const because = { actor: operatorName(), reason: 'the master key is changed' };
      const rotated = await rotateKey(ledger, findKeyPlace(settings, process.env), because);
      print(call, rotated, () =>
        [
          `Master key ${rotated.current} is the current one; ${rotated.rewrapped} keys were wrapped again.`,
          'Copy it to a safe place. Then see "paydrop key list", and retire the old one.',
        ].join('\n'),
      );
    });
    return EXIT.ok;
  },
};

const retire: CliCommand = {
  name: 'retire',
  about: 'Retire an old master key; refused while anything is wrapped with it',
  takes: [['<key>', 'its id, see "paydrop key list"']],
  options: [JSON_OPTION],
  notes: [
    `It is removed from its file; elsewhere remove it yourself. Once its last copy is destroyed, older backups of the ledger
can never be opened again.`,
  ],
  examples: ['key retire 3f9c2a17', 'key retire 3f9c2a17 --json'],
  async run(call) {
    const [id = ''] = call.arguments;
    await withLedger(call, async (ledger, settings) => {
      const place = findKeyPlace(settings, process.env);
      const ring = openKeyRing(place);
      const isKnown = ring.ids().includes(id) || (await readKeyUses(ledger)).some((use) => use.id === id);
      if (!isKnown)
        throw new PipelineError('NOT_FOUND', 'retire a master key', 'no key has this id', { next: SEE_LIST });
      if (id === ring.current.id)
        throw new PipelineError(
          'KEY_IN_USE',
          `retire master key "${id}"`,
          `it is the first in ${describeKeyPlace(place)}`,
        );
      await retireKey(ledger, id, { actor: operatorName(), reason: 'the master key is given up' });
      const isRemoved = await withLock(ledger, KEY_LOCK, async () => removeFrom(place, id));
      print(call, { retired: id, removedFromFile: isRemoved }, () => describeRetired(id, place, isRemoved));
    });
    return EXIT.ok;
  },
};

const SEE_LIST = 'See "paydrop key list".';

function removeFrom(place: KeyPlace, id: string): boolean {
  if (place.kind !== 'file') return false;
  const keys = loadMasterKeys(place);
  const rest = keys.filter((key) => key.id !== id);
  if (rest.length === keys.length) return false;
  replaceMasterKeyFile(place.path, rest);
  return true;
}

function describeRetired(id: string, place: KeyPlace, isRemoved: boolean): string {
  const done = isRemoved
    ? `It was removed from ${describeKeyPlace(place)}.`
    : `Remove it from ${describeKeyPlace(place)}.`;
  return `Master key ${id} is retired. ${done}\nKeep a copy for as long as you may need to restore an older backup of the ledger; without it, such backups cannot be opened.`;
}

export const key: CliCommand = {
  name: 'key',
  about: 'List, rotate and retire master keys',
  commands: [list, rotate, retire],
  examples: ['key list', 'key rotate'],
};

type Rotated = { current: string; rewrapped: number; isNew: boolean };

/**
 * Rotates the master key: makes the first key of its place the current one and wraps everything with it. If it already
 * wraps everything, a new key is made, which only a file allows. After a crash the first key does not wrap everything
 * yet, so repeating the call finishes the rotation.
 * @throws KEY_IN_USE when the place has no new key, MASTER_KEY_WRONG when a key is missing that wraps something;
 * nothing was changed then
 */
export async function rotateKey(ledger: Ledger, place: KeyPlace, because: AuditReason): Promise<Rotated> {
  // Two rotations at once would each add a new key to the old ones they read, and one new key would be lost.
  return withLock(ledger, KEY_LOCK, () => rotateAlone(ledger, place, because));
}

/** Lock held by any process that changes the place of the keys. */
const KEY_LOCK = 'master keys';

async function rotateAlone(ledger: Ledger, place: KeyPlace, because: AuditReason): Promise<Rotated> {
  const isDone = isWrappedBy(openKeyRing(place).current.id, await readKeyUses(ledger));
  if (isDone) addNewKey(place);
  const keys = openKeyRing(place);
  const { current } = keys;
  await mustHoldAll(ledger, keys);
  await makeKeyCurrent(ledger, current.id, because);
  const rewrapped = await rewrapAll(ledger, current.id, rewrapWith(keys, current), because);
  return { current: current.id, rewrapped, isNew: isDone };
}

/** Returns whether this key is the current one and the only one that wraps anything. */
function isWrappedBy(id: string, uses: readonly KeyUse[]): boolean {
  const others = uses.filter((use) => use.id !== id);
  return others.every((use) => use.files + use.others === 0 && !use.isCurrent);
}

function addNewKey(place: KeyPlace): void {
  if (place.kind === 'file') return replaceMasterKeyFile(place.path, [newMasterKey(), ...loadMasterKeys(place)]);
  const next =
    'Put a new key before the current one, separated by a comma or a line end, on every host, and try again.';
  const reason = `${describeKeyPlace(place)} has no new key`;
  throw new PipelineError('KEY_IN_USE', 'change the master key', reason, { next });
}

/** Checks before anything changes: keys half rewrapped, with a master key missing, would be worse than no change. */
async function mustHoldAll(ledger: Ledger, keys: KeyRing): Promise<void> {
  const uses = await readKeyUses(ledger);
  for (const use of uses) {
    const wrapped = use.files + use.others;
    if (wrapped > 0 && !keys.find(use.id)) {
      const reason = `${counted(wrapped, 'key')} ${byNumber(wrapped, 'is', 'are')} wrapped with master key ${use.id}, which is missing`;
      throw new PipelineError('MASTER_KEY_WRONG', 'change the master key', reason);
    }
    if (use.retiredAt && use.id === keys.current.id) {
      const next = 'Make a new key and put it first.';
      throw new PipelineError('MASTER_KEY_WRONG', `go back to master key "${use.id}"`, 'it is retired', { next });
    }
  }
}

function rewrapWith(keys: KeyRing, to: MasterKey) {
  return {
    file: (fileId: string, wrapped: Buffer) => rewrapDataKey(keys, to, fileId, wrapped),
    vault: (name: string, wrapped: Buffer) => {
      const person = personOfVaultKey(name);
      if (featureOfVaultKey(name) !== undefined) return rewrapKey(keys, to, name, wrapped);
      return person === undefined
        ? rewrapFingerprintKey(keys, to, wrapped)
        : rewrapTotpSecret(keys, to, person, wrapped);
    },
  };
}
