import { byNumber } from '../../kernel/counted.ts';
import { profileHash, profileText } from '../../csv/profile/profile-text.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { importVersion, type NewVersion, retireVersion } from '../../ledger/profile/move-profile.ts';
import { findConfirmed, readVersions } from '../../ledger/profile/read-profiles.ts';
import type { ProfileRow } from '../../ledger/engine/records.ts';
import type { Action, ActionContext, Input, Listing } from '../action.ts';
import { versionFacts, versionName } from '../subject-words.ts';
import { changesOf, foldersOf, readText } from './read-text.ts';

/** Records a text as the next version of a profile, a draft. */
export const importProfile: Action<'profile'> = {
  picks: [{ name: 'text', label: 'Text of the profile', hint: 'YAML, as exported.', kind: 'file', isRequired: true }],
  plan: async (context, { profile: name }, input) => {
    const { draft, changes } = readGiven(context, name, input, await readVersions(context.ledger, name));
    return {
      says: [`The text is recorded as a draft of profile ${name}. It reads nothing until it is confirmed.`],
      facts: [
        ['Profile', name],
        ['SHA-256', draft.sha256],
      ],
      listing: changesListing(changes),
      button: 'Import it',
    };
  },
  run: async (context, { profile: name }, input, because) => {
    const { draft, changes } = readGiven(context, name, input, await readVersions(context.ledger, name));
    const { version, isNew } = await importVersion(context.ledger, draft, because);
    return {
      says: isNew
        ? `Imported: ${versionName(version)}, a draft. It reads nothing until it is confirmed.`
        : `Nothing to import: ${versionName(version)} has this text. Its state is ${version.state}.`,
      listing: isNew ? changesListing(changes) : undefined,
      next: version.state === 'draft' ? [{ to: 'confirm-profile', profile: name }] : [],
      json: { ...shownVersion(version), isNew, changes: isNew ? changes : [] },
    };
  },
};

/** Ends the confirmed version. Its folders take nothing until another is confirmed. */
export const retireProfile: Action<'profile'> = {
  plan: async (context, { profile: name }) => {
    const version = await mustReadNow(context, name);
    return {
      says: [stopWords(context, name)],
      facts: versionFacts(version),
      binds: { version: version.profile_no },
      button: `Retire ${versionName(version)}`,
    };
  },
  run: async (context, { profile: name }, _input, because) => {
    const { profile_no: profileNo } = await mustReadNow(context, name);
    const retired = await retireVersion(context.ledger, profileNo, because);
    return {
      says: `Retired: ${versionName(retired)}.`,
      details: [stopWords(context, name)],
      json: shownVersion(retired),
    };
  },
};

/** Returns a version as programs read it; its text is left out. */
export function shownVersion({ text: _text, ...version }: ProfileRow) {
  return version;
}

/** Returns the lines that differ as rows for a person. */
export function changesListing(changes: readonly string[]): Listing | undefined {
  if (changes.length === 0) return undefined;
  return { label: 'What changes', titles: ['Difference'], rows: changes.map((line) => [line]) };
}

function readGiven(
  { settings }: ActionContext,
  name: string,
  { file }: Input,
  versions: readonly ProfileRow[],
): { draft: NewVersion; changes: readonly string[] } {
  const { profile, name: given = name } = readText(settings, name, file!.bytes.toString());
  if (given !== name)
    throw new PipelineError('USAGE', `import profile "${name}"`, `its text calls it "${given}"`, {
      next: `Import it as "${given}", or change the name in the text.`,
    });
  const draft = {
    name,
    text: profileText(profile),
    sha256: profileHash(profile),
    firstFiles: profile.check.firstFiles,
  };
  const before = versions.find(({ state }) => state === 'confirmed') ?? versions[0];
  return { draft, changes: changesOf(before, profile) };
}

async function mustReadNow({ ledger }: ActionContext, name: string): Promise<ProfileRow> {
  const version = await findConfirmed(ledger.pool, name);
  if (version) return version;
  throw new PipelineError('MOVE_REFUSED', `retire profile "${name}"`, 'it has no confirmed version', {
    next: 'See "paydrop profile list".',
  });
}

function stopWords({ settings }: ActionContext, name: string): string {
  const ids = foldersOf(settings, name).map(({ id }) => id);
  if (ids.length === 0) return 'No folder names it.';
  const folders = byNumber(ids.length, `Folder ${ids[0]} takes`, `Folders ${ids.join(', ')} take`);
  return `${folders} nothing until another version is confirmed; drops stay there. Files that were taken and not read yet are held.`;
}
