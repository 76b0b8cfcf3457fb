import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readKeyUses, retireKey } from '../../ledger/key/master-keys.ts';
import { withLock } from '../../ledger/engine/with-lock.ts';
import { describeKeyPlace, findKeyPlace, type KeyPlace } from '../../crypto/key-place.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { loadMasterKeys, replaceMasterKeyFile } from '../../crypto/master-key.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { KEY_LOCK, rotateKey } from '../key/rotate-key.ts';
import { operatorName } from '../operator-name.ts';
import { textTable } from '../print/table.ts';

const list: CliCommand = {
  name: 'list',
  about: 'The master keys by their ids: which is the current one, and how much each wraps',
  options: [JSON_OPTION],
  notes: ['The id of a key tells nothing about it and may be shown.'],
  examples: ['key list', 'key list --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const place = placeOfKeys(settings);
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
  about: 'Make a new master key the current one and wrap everything with it, while work goes on',
  options: [JSON_OPTION],
  notes: [
    `Where the key lies in a file, a new one is made and put first. From the environment or a command it must be given: the
new key first, the old ones behind it. Hosts that read a place of their own need the new key before.`,
    'Killed at any moment, doing it again finishes it. The old key is needed until "paydrop key retire".',
  ],
  examples: ['key rotate', 'key rotate --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const because = { actor: operatorName(), reason: 'the master key is changed' };
      const rotated = await rotateKey(ledger, placeOfKeys(settings), because);
      print(call, rotated, () =>
        [
          `Master key ${rotated.current} is the current one; ${rotated.rewrapped} keys were wrapped anew.`,
          'Copy it to a safe place. Then see "paydrop key list", and retire the old one.',
        ].join('\n'),
      );
    });
    return EXIT.ok;
  },
};

const retire: CliCommand = {
  name: 'retire',
  about: 'Give up an old master key; refused as long as anything is wrapped with it',
  takes: [['<key>', 'its id, see "paydrop key list"']],
  options: [JSON_OPTION],
  notes: [
    `It is taken out of its file; elsewhere take it out yourself. When its last copy is destroyed, backups of the ledger from
before the change cannot be opened any more, by nobody.`,
  ],
  examples: ['key retire 3f9c2a17', 'key retire 3f9c2a17 --json'],
  async run(call) {
    const [id = ''] = call.arguments;
    await withLedger(call, async (ledger, settings) => {
      const place = placeOfKeys(settings);
      const ring = openKeyRing(place);
      const isKnown = ring.ids().includes(id) || (await readKeyUses(ledger)).some((use) => use.id === id);
      if (!isKnown)
        throw new PipelineError('NOT_FOUND', 'retire a master key', 'there is none of this id', { next: SEE_LIST });
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
    ? `It was taken out of ${describeKeyPlace(place)}.`
    : `Take it out of ${describeKeyPlace(place)}.`;
  return `Master key ${id} is retired. ${done}\nKeep a copy for as long as you may want to restore a backup of the ledger from before; with its last copy gone, those open nothing any more.`;
}

export const key: CliCommand = {
  name: 'key',
  about: 'The master key: see it by its id, change it while work goes on, give an old one up',
  commands: [list, rotate, retire],
  examples: ['key list', 'key rotate'],
};

function placeOfKeys(settings: Settings): KeyPlace {
  return findKeyPlace(settings, process.env);
}
