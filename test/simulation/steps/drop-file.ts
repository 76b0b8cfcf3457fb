import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '../../../src/kernel/config.ts';
import { DAMAGES } from '../files/damages.ts';
import { type DraftFile, draftFile, placeOf, writeDraft } from '../files/draft-file.ts';
import { isTelling } from '../files/payment-numbers.ts';
import type { World } from '../world.ts';
import { tell } from './step.ts';

/** Puts a new payment file into a drop folder, as its sender meant it or damaged in up to three ways. */
export async function dropFile(world: World): Promise<void> {
  const { choose } = world;
  const folder = choose.one(world.settings.folders);
  const number = world.drops.length + 1;
  const draft = draftFile(choose, world.settings.accounts.get(folder.account)!, folder.operation, `I${number}`);
  const damages = choose.happens(0.35)
    ? Array.from({ length: choose.one([1, 1, 2, 3]) }, () => choose.weighted(DAMAGES))
    : [];
  for (const damage of damages) {
    damage.spoil(draft, choose);
    world.totals.count('damages', damage.name);
  }
  keepCanaries(world, draft);
  const { bytes, control } = writeDraft(draft);
  const marks = damages.map(({ name }) => name).join(', ');
  await put(world, folder, `file-${number}.csv`, bytes, control, draft.titles !== undefined);
  tell(
    world,
    `a sender drops file-${number}.csv into ${folder.id}, ${draft.rows.length} rows${marks && ` with ${marks}`}`,
  );
  world.totals.count('drops', damages.length > 0 ? 'a damaged file' : 'a file');
}

/** The same bytes once more, under another name or the same, or its rows in another order. */
export async function dropAgain(world: World): Promise<void> {
  const { choose } = world;
  const before = choose.one(world.drops);
  const folder = world.settings.folders.find(({ id }) => id === before.folder)!;
  const number = world.drops.length + 1;
  const reorders = choose.happens(0.4) && !before.titles;
  const bytes = reorders ? turnLines(before.bytes) : before.bytes;
  const isFree = !(await readdir(folder.path)).some((name) => name.startsWith(before.name));
  const name = isFree && choose.happens(0.3) ? before.name : `file-${number}.csv`;
  await put(world, folder, name, bytes, undefined, before.titles);
  tell(world, `a sender drops ${before.name} again as ${name}${reorders ? ', its rows in another order' : ''}`);
  world.totals.count('drops', reorders ? 'the same rows in another order' : 'the same bytes again');
}

/** What is no plain file. */
export async function dropOddThing(world: World): Promise<void> {
  const folder = world.choose.one(world.settings.folders);
  const name = `odd-${world.story.length}`;
  if (world.choose.happens(0.5)) await mkdir(join(folder.path, name));
  else await symlink(world.root, join(folder.path, name));
  tell(world, `a sender drops something that is no file into ${folder.id}`);
  world.totals.count('drops', 'no plain file');
}

/** A sender who was not done writing goes on, behind the back of whoever took the file. */
export async function writeOn(world: World): Promise<boolean> {
  for (const work of new Set(world.settings.folders.map((folder) => folder.work))) {
    const claims = await readdir(work).catch(() => []);
    for (const claim of claims) {
      const path = join(work, claim, 'original');
      if ((await readFile(path).catch(() => undefined)) === undefined) continue;
      await appendFile(path, 'I0x1,A10000001,25.00,June dues\n');
      tell(world, 'the sender of a claimed file goes on writing into it');
      world.totals.count('drops', 'written on after the claim');
      return true;
    }
  }
  return false;
}

async function put(
  world: World,
  folder: Folder,
  name: string,
  bytes: Buffer,
  control: string | undefined,
  titles: boolean,
): Promise<void> {
  const path = join(folder.path, name);
  await writeFile(path, bytes);
  if (control !== undefined) await writeFile(`${path}.ctl`, control);
  if (folder.complete.by === 'marker') await writeFile(path + folder.complete.suffix, '');
  world.drops.push({ folder: folder.id, name, bytes, titles });
}

/** Whole numbers of payers, also those that stand where they do not belong. An amount may have as many digits. */
function keepCanaries(world: World, draft: DraftFile): void {
  const [number, amount] = [placeOf(draft, 'cardNumber', 'accountNumber'), placeOf(draft, 'amount')];
  const cells = draft.rows.flatMap((row) =>
    row.map((cell, index) => (index === number ? cell : index === amount ? '' : (/\d{12,}/.exec(cell)?.[0] ?? ''))),
  );
  world.canaries.push(...cells.filter((cell) => /^\d+$/.test(cell) && isTelling(cell)));
}

function turnLines(bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split(/(?<=\n)/);
  return Buffer.from(lines.reverse().join(''), 'latin1');
}
