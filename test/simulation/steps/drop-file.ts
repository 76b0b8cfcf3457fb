import { parse } from 'csv-parse/sync';
import { appendFile, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { csvLines } from '../../../src/csv/write/write-csv.ts';
import type { Folder } from '../../../src/config/config.ts';
import { listRetired } from '../../../src/files/claims/retire-claim.ts';
import { markerEndingOf } from '../../../src/files/completeness.ts';
import { DAMAGES, type DraftFile, draftFile, isTelling, placeOf, writeDraft } from '../files/draft-file.ts';
import type { Drop, World } from '../world.ts';
import { tell } from './step.ts';

/**
 * Puts a new payment file into a drop folder, as its sender meant it or with up to three damages. The first damage
 * takes each kind in turn.
 */
export async function dropFile(world: World, isDamaged = world.choose.happens(0.35)): Promise<void> {
  const { choose } = world;
  const folder = choose.one(world.settings.folders);
  const number = world.drops.length + 1;
  const draft = draftFile(choose, world.settings.accounts.get(folder.account)!, folder.operation, `I${number}`);
  const damages = isDamaged
    ? [
        DAMAGES[world.nextTurn() % DAMAGES.length]!,
        ...Array.from({ length: choose.one([0, 0, 1, 2]) }, () => choose.weighted(DAMAGES)),
      ]
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

/** Drops the same bytes again, under another name or the same, or the rows in another order. */
export async function dropAgain(world: World, drops: readonly Drop[] = world.drops): Promise<void> {
  const { choose } = world;
  const before = choose.one(drops);
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

/** Drops an earlier file with one row less or more: other bytes, other batches, and another mark of all rows. */
export async function dropAltered(world: World, drops: readonly Drop[] = world.drops): Promise<void> {
  const { choose } = world;
  const before = choose.one(drops);
  const folder = world.settings.folders.find(({ id }) => id === before.folder)!;
  const name = `file-${world.drops.length + 1}.csv`;
  const lines = before.bytes.toString('latin1').split(/(?<=\n)/);
  const first = before.titles ? 1 : 0;
  const place = first + choose.below(Math.max(1, lines.length - first));
  const more = (lines[place] ?? '').replace(/\bI(\d+)x(\d+)\b/, (_, file, row) => `I${file}x9${row}`);
  // A last line without its end stays the last.
  const isMore = choose.happens(0.3) && more !== lines[place] && more.endsWith('\n');
  const altered = isMore ? lines.toSpliced(place, 0, more) : lines.toSpliced(place, 1);
  const bytes = Buffer.from(altered.join(''), 'latin1');
  const how = isMore ? 'more' : 'less';
  await put(world, folder, name, bytes, undefined, before.titles);
  tell(world, `a sender drops ${before.name} again as ${name}, one row ${how}`);
  world.totals.count('drops', `an earlier file with one row ${how}`);
}

/** Drops the payments of an earlier file, with invoices as another program or person would write them. */
export async function dropRewritten(world: World): Promise<void> {
  const { choose } = world;
  const before = choose.one(world.drops);
  const folder = world.settings.folders.find(({ id }) => id === before.folder)!;
  const name = `file-${world.drops.length + 1}.csv`;
  const rewrite = choose.one<(file: string, row: string) => string>([
    (file, row) => `i${file}X${row}`,
    (file, row) => `00I${file}x${row}`,
    (file, row) => `I${file}-x ${row}.`,
  ]);
  const text = before.bytes.toString('latin1').replace(/\bI(\d+)x(\d+)\b/g, (_, file, row) => rewrite(file, row));
  await put(world, folder, name, Buffer.from(text, 'latin1'), undefined, before.titles);
  tell(world, `a sender drops the payments of ${before.name} as ${name}, their invoices written otherwise`);
  world.totals.count('drops', 'the same payments written otherwise');
}

/** Drops an output of paydrop, as it is or cut to the columns of its input. */
export async function dropOutput(world: World): Promise<void> {
  const { choose } = world;
  const outputs = await findOutputs(world);
  if (outputs.length === 0) return;
  const { name: output, kind, folder: id, layout } = choose.one(outputs);
  const folder = world.settings.folders.find((one) => one.id === id)!;
  const text = await readFile(join(world.settings.paths.out, output), 'utf8');
  const table: string[][] = parse(text, { bom: true, relax_column_count: true });
  const first = kind === 'result' ? 1 : 0;
  const cut = table.map((cells) => cells.slice(first, first + columnsOf(layout).length));
  const isCut = choose.happens(0.8);
  const name = `file-${world.drops.length + 1}.csv`;
  const again = isCut ? cut.map((cells) => csvLines()(cells)).join('') : text;
  await put(world, folder, name, Buffer.from(again), undefined, true);
  tell(world, `a sender drops the output ${output} as ${name}${isCut ? ', cut to the columns of its input' : ''}`);
  world.totals.count('drops', `a ${kind} again`);
}

type SeenOutput = { name: string; kind: string; folder: string; layout: LayoutName };

async function findOutputs(world: World): Promise<SeenOutput[]> {
  const { rows } = await world.office.pool.query<SeenOutput>(
    `SELECT o.name, o.kind, f.folder, f.layout FROM output o JOIN file f USING (file_id)
     WHERE o.kind IN ('result', 'rejects', 'retry') ORDER BY f.file_no, o.kind`,
  );
  return rows;
}

/** Drops something that is no plain file. */
export async function dropOddThing(world: World): Promise<void> {
  const folder = world.choose.one(world.settings.folders);
  const name = `odd-${world.story.length}`;
  if (world.choose.happens(0.5)) await mkdir(join(folder.path, name));
  else await symlink(world.root, join(folder.path, name));
  tell(world, `a sender drops something that is no file into ${folder.id}`);
  world.totals.count('drops', 'no plain file');
}

/** Lets a sender who was not done continue writing into a claimed file. */
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

/** Lets a sender whose program still has a file open write into it after its verdict. */
export async function writeOnRetired(world: World): Promise<void> {
  for (const work of new Set(world.settings.folders.map((folder) => folder.work))) {
    const [retired] = await listRetired(work).catch(() => []);
    if (!retired) continue;
    await appendFile(retired.path, 'I0x2,A10000002,25.00,June dues\n');
    tell(world, `the sender of ${retired.fileId} goes on writing into it after its verdict`);
    world.totals.count('drops', 'written on after the verdict');
    return;
  }
}

/**
 * Writes a payment file slowly, beside a marker left over from an older file of its name. A scan that sees the first
 * half must not take it.
 * @param look lets a process scan the folders while half of the file is there
 */
export async function dropBesideOldMarker(world: World, look: () => Promise<void>): Promise<void> {
  const { choose } = world;
  const folder = choose.one(world.settings.folders.filter(isMarked));
  const number = world.drops.length + 1;
  const name = `file-${number}.csv`;
  const draft = draftFile(choose, world.settings.accounts.get(folder.account)!, folder.operation, `I${number}`);
  keepCanaries(world, draft);
  const { bytes, control } = writeDraft(draft);
  const marker = join(folder.path, `${name}${markerEndingOf(folder.complete)}`);
  await writeFile(marker, '');
  await utimes(marker, 1_000_000_000, 1_000_000_000);
  await writeFile(join(folder.path, name), bytes.subarray(0, Math.ceil(bytes.length / 2)));
  tell(world, `a sender writes the first half of ${name} into ${folder.id}, beside an old marker`);
  await look();
  await put(world, folder, name, bytes, control, draft.titles !== undefined);
  tell(world, `the sender of ${name} is done`);
  world.totals.count('drops', 'beside an old marker');
}

/** Returns whether files of a folder wait for a marker. */
export function isMarked({ complete }: Folder): boolean {
  return complete.by === 'marker';
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

/** Records whole numbers of payers, even in wrong cells. Amounts are left out: one may have as many digits. */
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
