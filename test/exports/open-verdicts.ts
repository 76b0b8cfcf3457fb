import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Profile } from '../../schemas/profiles.ts';
import { parseProfile, profileText } from '../../src/csv/profile/profile-text.ts';
import { previewVerdict } from '../../src/explain/validate/preview-verdict.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { chunksOf } from '../csv/support.ts';
import { folderId, openExportFolders } from './export-folders.ts';
import type { Export } from './made/exports.ts';
import type { System } from './systems/system.ts';

/** The verdict on a file as text, by each way to ask for it. */
export type Verdicts = {
  readonly validate: string;
  readonly preview: string;
  /** The preview with the text of the profile, as pages of a version and of a new profile ask for it. */
  readonly withText: string;
  readonly intake: string;
};

/** No earlier file matters here, since "validate" knows none. */
const ALONE = { chargedBefore: 'off', sameTotals: 'off' };

/**
 * Opens an installation with an account, a folder and a confirmed profile for each system.
 * @param firstFiles so many files of each profile are held for a look
 */
export async function openVerdicts(systems: readonly System[], firstFiles = 0) {
  const folders = systems.map((system) => ({ account: system.name, system }));
  const world = await openExportFolders(folders, { firstFiles, settings: ALONE });
  let files = 0;

  async function verdictsOn({ system }: Pick<Export, 'system'>, bytes: Uint8Array): Promise<Verdicts> {
    const name = `file-${(files += 1)}.csv`;
    const preview = await previewed(system, name, bytes);
    const withText = await previewed(system, name, bytes, await textOf(system));
    const validate = await validated(system, name, bytes);
    return { preview, withText, validate, intake: await takenIn(system, bytes) };
  }

  async function validated({ name: system, place }: System, name: string, bytes: Uint8Array): Promise<string> {
    const path = join(world.root, name);
    await writeFile(path, bytes);
    const words = [
      '--operation',
      place.operation,
      '--account',
      system,
      '--profile',
      join(world.root, `${system}.yaml`),
    ];
    const { check, decision, faults } = JSON.parse((await world.paydrop('validate', path, ...words, '--json')).out);
    return verdictText(decision, check, faults);
  }

  async function textOf({ name }: System): Promise<Profile> {
    const parsed = parseProfile(await readFile(join(world.root, `${name}.yaml`), 'utf8'));
    return 'profile' in parsed ? parsed.profile : Promise.reject(new Error(JSON.stringify(parsed.faults)));
  }

  /** Sets the text that is used in place of the confirmed version. */
  const setText = ({ name }: System, profile: Profile) =>
    writeFile(join(world.root, `${name}.yaml`), profileText(profile));

  /** Confirms another version, and sets its text. */
  async function replace(system: System, profile: Profile): Promise<void> {
    await world.confirm(system.name, profile);
    await setText(system, profile);
  }

  async function previewed(
    { name: system }: System,
    name: string,
    bytes: Uint8Array,
    profile?: Profile,
  ): Promise<string> {
    const order = { name, source: chunksOf(bytes), mostFaults: 10_000, ...(profile && { profile }) };
    const { check, decision, faults } = await previewVerdict(world.app, world.app.folder(folderId(system))!, order);
    return verdictText(decision, check, faults);
  }

  async function takenIn({ name: system }: System, bytes: Uint8Array): Promise<string> {
    const { file, faults } = await world.take(system, bytes);
    const verdict = VERDICTS[file.state as keyof typeof VERDICTS];
    const decision = verdict === 'accept' ? { verdict } : { verdict, code: file.reason_code, reason: file.reason };
    const check = {
      layout: file.layout,
      physicalLines: file.physical_lines,
      records: file.records,
      valid: { rows: file.valid_rows, cents: file.valid_cents },
      invalid: { rows: file.invalid_rows },
      ...(file.profile_lines && { profile: file.profile_lines }),
    };
    return verdictText(decision, check, faults);
  }

  return { verdictsOn, setText, replace, close: () => world.close() };
}

const VERDICTS = { accepted: 'accept', held: 'hold', rejected: 'reject' } as const;

type Figures = {
  readonly layout: string | null;
  readonly physicalLines: number | null;
  readonly records: number | null;
  readonly valid: { readonly rows: number | null; readonly cents: number | null };
  readonly invalid: { readonly rows: number | null };
  readonly profile?: { readonly lines: object; readonly skipped: readonly object[] };
};

/** Writes what a person is told, with faults in the order of their lines. */
function verdictText(decision: object, check: Figures, faults: readonly Fault[]): string {
  const { layout, physicalLines, records, valid, invalid, profile } = check;
  const found = profile && { lines: sorted(profile.lines), skipped: profile.skipped.map(sorted) };
  const figures = { layout, physicalLines, records, valid: sorted(valid), invalid, found };
  const said = faults.map((fault) => JSON.stringify(sorted(fault))).toSorted();
  return JSON.stringify({ decision: sorted(decision), figures, said }, null, 1);
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
