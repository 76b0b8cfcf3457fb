import { isDeepStrictEqual } from 'node:util';
import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';
import { type ColumnRule, Profile, type Title } from '../../../schemas/profiles.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { writeYaml } from '../../config/plain-yaml.ts';
import { checkProfile } from '../profile/check-profile.ts';
import { profileText } from '../profile/profile-text.ts';
import { foldTitle, titlesOf, titlesOfRule } from '../profile/profile-titles.ts';
import { type Decided, decide, type KnownProfile, type OpenSample, type Sample } from './decide/decide.ts';
import { amountEvidence } from './decide/decide-columns.ts';
import { sayTable } from './decide/decide-form.ts';
import type { Confidence } from './match-columns.ts';
import { openMemo } from './memo.ts';
import type { Answers, Question } from './question.ts';
import { sheetsOf } from './sample-rows.ts';
import { columnSource, shownExample, titleShown } from './sources.ts';

export type { Answer, Answers, Option, Question } from './question.ts';
export type { KnownProfile, Sample } from './decide/decide.ts';
export type { Confidence } from './match-columns.ts';

/** A sample that is looked at. It keeps what it decided last, because each answer is followed by a look at the rest. */
export type Proposal = { readonly sample: OpenSample; readonly last: { answers?: Answers; decided?: Decided } };

/** Opens a sample. Nothing of it is kept anywhere else. */
export function openProposal(sample: Sample): Proposal {
  return { sample: { ...sample, memo: openMemo() }, last: {} };
}

type DroppedIn = { readonly place: Sample['place'] & { readonly account: { readonly timeZone: string } } };

/** Opens a file, a text or a workbook, as one that would be dropped now. */
export async function openFile(
  bytes: Buffer,
  { place, now, known }: DroppedIn & { readonly now: Date; readonly known: readonly KnownProfile[] },
): Promise<Proposal> {
  return openProposal({
    bytes,
    sheets: await sheetsOf(bytes),
    place,
    today: dayInZone(now, place.account.timeZone),
    known,
  });
}

function decidedBy(proposal: Proposal, answers: Answers): Decided {
  const { last, sample } = proposal;
  if (last.answers !== answers || !last.decided) {
    last.answers = answers;
    last.decided = decide(sample, answers);
  }
  return last.decided;
}

/** Returns the questions that are open, in their order. Answers may open further ones. */
export function questionsOf(proposal: Proposal, answers: Answers): readonly Question[] {
  return decidedBy(proposal, answers).open;
}

/** Returns all questions asked so far, also the answered ones, for a form that shows them again. */
export function askedBy(proposal: Proposal, answers: Answers): readonly Question[] {
  return decidedBy(proposal, answers).asked;
}

export type Suggestion = {
  /** Only when no question is open and the profile has no fault. */
  readonly profile?: Profile;
  /** YAML with `???` where a question is open, which no reader takes; or the normal form of the profile. */
  readonly draft: string;
  readonly open: readonly Question[];
  /** Why no profile can be made, a sentence each. */
  readonly faults: readonly string[];
};

/** Returns the profile that the sample and the answers make, or a draft of it. */
export function answer(proposal: Proposal, answers: Answers): Suggestion {
  const { draft, open, stop } = decidedBy(proposal, answers);
  if (stop !== undefined) return { draft: '', open: [], faults: [stop] };
  if (open.length > 0) return { draft: writeYaml(draft), open, faults: [] };
  const parsed = Profile.safeParse(draft);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { draft: writeYaml(draft), open, faults };
  }
  const faults = checkProfile(parsed.data, proposal.sample.place).map(({ message }) => message);
  const text = profileText(parsed.data);
  return faults.length > 0 ? { draft: text, open, faults } : { profile: parsed.data, draft: text, open, faults };
}

/** Why a column of the layout is read from a column of the sample. Texts are masked. */
export type Reason = {
  readonly column: ColumnName;
  /** Of the column of the layout. */
  readonly title: string;
  /** Of the sample; undefined when nothing fits. */
  readonly from?: string;
  readonly confidence: Confidence;
  readonly why: string;
  readonly example: string;
  /** What fits next best. */
  readonly next?: string;
};

export type Reasons = {
  /** What the file is: lines, separator, character set, titles, rows. */
  readonly form: string;
  readonly columns: readonly Reason[];
  /** Each column that could be the amount, with its sum. */
  readonly amounts: readonly string[];
};

/** Returns what a suggestion rests on; undefined while its form is open. */
export function reasonsOf(proposal: Proposal, answers: Answers): Reasons | undefined {
  const { table, chosen } = decidedBy(proposal, answers);
  if (!table) return undefined;
  const alike = (proposal.sample.known ?? []).filter(({ profile }) => haveSameTitles(profile, table.titles));
  const columns = chosen.map(({ match: { column, place, confidence, isTitled, next, content }, source }): Reason => {
    const own =
      source ??
      (place === undefined || confidence === 'open'
        ? undefined
        : columnSource(table.titles[place]!, table.columns[place]!));
    const [first] = own?.places ?? [];
    return {
      column,
      title: COLUMNS[column].title,
      ...(own && { from: own.rule.from === undefined ? own.value : titleShown(own.rule.from) }),
      confidence,
      why: [whyOf(isTitled, content), ...alike.flatMap((known) => sayKnown(known, column, own?.rule))].join('; '),
      example: first === undefined ? '' : shownExample(table.columns[first]!),
      ...(next !== undefined && { next: titleShown(table.titles[next]!) }),
    };
  });
  return { form: sayTable(table), columns, amounts: amountEvidence(table) };
}

function whyOf(isTitled: boolean, content: number): string {
  const cells =
    content >= 1
      ? 'all cells pass its check'
      : content >= 0.9
        ? 'all cells fit'
        : content > 0.1
          ? 'its cells may fit'
          : '';
  return [...(isTitled ? ['title'] : []), ...(cells ? [cells] : [])].join('; ') || 'nothing fits well';
}

/** Files without titles look alike by chance. */
function haveSameTitles(profile: Profile, titles: readonly Title[]): boolean {
  const folded = (list: readonly Title[]) => list.map((title) => foldTitle(String(title))).toSorted();
  return profile.head.titles !== 'none' && isDeepStrictEqual(folded(titlesOf(profile)), folded(titles));
}

/** Says from which titles another profile reads a column of the layout; nothing when it reads none. */
function sayKnown({ name, version, profile }: KnownProfile, column: ColumnName, own: ColumnRule = {}): string[] {
  const read = (rule: ColumnRule = {}) => titlesOfRule(rule).map(([title]) => title);
  const titles = read(profile.columns[column]);
  if (titles.length === 0) return [];
  const isSame = isDeepStrictEqual(titles.map(String).map(foldTitle), read(own).map(String).map(foldTitle));
  return [
    isSame
      ? `as in ${name}, version ${version}`
      : `${name}, version ${version}, reads ${titles.map(titleShown).join(' and ')}`,
  ];
}
