import { COLUMNS } from '../../../../schemas/layouts.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { nearest } from '../../../config/nearest.ts';
import { groupBy } from '../../../kernel/group-by.ts';
import { namesSecurityCode } from '../../check/column-titles.ts';
import { foldTitle, mentionsOf, titlesOf, usesOfTitles } from '../profile-titles.ts';
import { fault, type FoundFault, keyFault, orList, quoted } from './found-fault.ts';

/** Finds what is wrong with the titles: each must be there once, be named rightly, and be decided. */
export function checkTitles(profile: Profile): FoundFault[] {
  return [
    ...checkHead(profile),
    ...findRepeated(profile),
    ...findSecurityCodes(profile),
    ...findUnknown(profile),
    ...findUndecided(profile),
    ...findSharedSecrets(profile),
  ];
}

/** The settings of the title row contradict each other. */
function checkHead({ head }: Profile): FoundFault[] {
  const { titles, line, within, above, count, order } = head;
  if (titles !== 'none') {
    const last = within ?? line ?? 1;
    return [
      ...when(count !== undefined, 'count', 'the titles give the number of columns; leave count out'),
      ...when(line !== undefined && within !== undefined, 'within', 'write line or within, not both'),
      ...when(above.length > 0 && last === 1, 'above', 'nothing stands above line 1; write line or within'),
    ];
  }
  const needless = 'a file without titles has no title row; leave this key out';
  return [
    ...when(count === undefined, 'titles', 'without titles, write the number of columns as count'),
    ...when(line !== undefined, 'line', needless),
    ...when(within !== undefined, 'within', needless),
    ...when(above.length > 0, 'above', needless),
    ...when(order === 'any', 'order', needless),
  ];
}

function when(isWrong: boolean, key: string, reason: string): FoundFault[] {
  return isWrong ? [keyFault(['head', key], reason)] : [];
}

/** Titles that a rule cannot tell apart. `City#2` means nothing when the order is open. */
function findRepeated({ head }: Profile): FoundFault[] {
  if (head.titles === 'none') return [];
  const { titles, order } = head;
  const folded = titles.map(foldTitle);
  const names = titlesOf({ head }).map((title) => foldTitle(String(title)));
  return titles.flatMap((title, index) => {
    const isOpen = order === 'any' && folded.indexOf(folded[index]!) < index;
    if (!isOpen && names.indexOf(names[index]!) === index) return [];
    const reason = isOpen
      ? `${quoted(title)} stands twice; write order: exact and name each by its place`
      : `${quoted(title)} reads like the name of another column; give the export other titles`;
    return [fault('PROFILE_TITLE_TWICE', ['head', 'titles', index], reason)];
  });
}

function findSecurityCodes({ head }: Profile): FoundFault[] {
  if (head.titles === 'none') return [];
  return head.titles.flatMap((title, index) =>
    namesSecurityCode(title)
      ? [
          fault(
            'PROFILE_SECURITY_CODE',
            ['head', 'titles', index],
            `${quoted(title)} is a security code; make the export without it, ignore does not help`,
          ),
        ]
      : [],
  );
}

function findUnknown(profile: Profile): FoundFault[] {
  const titles = titlesOf(profile);
  return mentionsOf(profile).flatMap(({ title, path }) => {
    if (titles.includes(title)) return [];
    const places = placesOf(title, profile);
    return places.length > 1
      ? [fault('PROFILE_TITLE_TWICE', path, `${quoted(title)} stands twice; write ${orList(places.map(quoted))}`)]
      : [fault('PROFILE_TITLE_UNKNOWN', path, whyUnknown(title, titles, profile))];
  });
}

/** Returns the names of the columns that a title could mean because it stands several times. */
function placesOf(title: Title, { head }: Profile): readonly Title[] {
  if (head.titles === 'none' || typeof title === 'number') return [];
  const { titles } = head;
  return titlesOf({ head }).filter((_, index) => foldTitle(titles[index]!) === foldTitle(title));
}

function whyUnknown(title: Title, titles: readonly Title[], { head }: Profile): string {
  if (head.titles === 'none')
    return `${quoted(title)} is not a column; without titles, write a number from 1 to ${head.count}`;
  if (typeof title === 'number') return `${title} is not a title; write the title itself, in quotes if it is a number`;
  const near = nearest(title, titles.map(String));
  return `the file has no title ${quoted(title)}${near === undefined ? '; see head.titles' : `; near: ${quoted(near)}`}`;
}

/** Every column must be used or ignored, and not both. */
function findUndecided(profile: Profile): FoundFault[] {
  const { head } = profile;
  const mentions = groupBy(mentionsOf(profile), ({ title }) => foldTitle(String(title)));
  return titlesOf(profile).flatMap((title, index) => {
    // A rule may name one of two equal titles by its place, or both by their text.
    const names = new Set(
      [title, head.titles === 'none' ? title : head.titles[index]!].map((name) => foldTitle(String(name))),
    );
    const uses = [...names].flatMap((name) => mentions.get(name) ?? []);
    const ignored = uses.find(({ does }) => does === 'ignored');
    const used = uses.find(({ does }) => does === 'sent' || does === 'read');
    if (ignored && used) return [fault('PROFILE_TITLE_BOTH', ignored.path, `${quoted(title)} is used and ignored`)];
    if (uses.some(({ does }) => does !== 'added')) return [];
    const path = head.titles === 'none' ? ['head', 'count'] : ['head', 'titles', index];
    const reason =
      uses.length > 0
        ? 'is only added up; put it into ignore'
        : 'is neither used nor ignored; put it into ignore if it is not sent';
    const what = typeof title === 'number' ? `column ${title}` : quoted(title);
    return [fault('PROFILE_TITLE_OPEN', path, `${what} ${reason}`)];
  });
}

/** A number that is also sent as a name or comment would be readable everywhere. */
function findSharedSecrets(profile: Profile): FoundFault[] {
  const mentions = mentionsOf(profile);
  return [...usesOfTitles(profile)].flatMap(([title, { columns, isSecret }]) => {
    const second = mentions.findLast((one) => one.does === 'sent' && one.title === title);
    if (!isSecret || columns.length < 2 || !second) return [];
    const names = columns.map((column) => COLUMNS[column].title).join(' and ');
    const reason = `${quoted(title)} holds a card or account number and feeds ${names}; it may feed one column only`;
    return [fault('PROFILE_SECRET_TWICE', second.path, reason)];
  });
}
