import type { ColumnRule } from '../../../schemas/profiles.ts';

type Language = NonNullable<ColumnRule['language']>;

/**
 * Short names of the twelve months, as accounting systems, spreadsheets and Unicode's tables write them; also without
 * accents. Each may have a point behind it, and capitals do not count.
 */
const SHORT_NAMES: { readonly [Name in Language]: readonly string[] } = {
  en: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep sept', 'oct', 'nov', 'dec'],
  fr: [
    'jan janv',
    'fév févr fev fevr',
    'mar mars',
    'avr',
    'mai',
    'juin',
    'juil',
    'août aou aoû aout',
    'sep sept',
    'oct',
    'nov',
    'déc dec',
  ],
  de: [
    'jan jän',
    'feb',
    'mär mrz mar märz',
    'apr',
    'mai',
    'jun juni',
    'jul juli',
    'aug',
    'sep sept',
    'okt',
    'nov',
    'dez',
  ],
  es: ['ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sep sept', 'oct', 'nov', 'dic'],
};

/** Returns the months from 1 to 12 by their short names in small letters, without a point. */
export function monthNames(language: Language): ReadonlyMap<string, number> {
  return MONTHS_BY_NAME.get(language)!;
}

export const LANGUAGES = Object.keys(SHORT_NAMES) as Language[];

const MONTHS_BY_NAME = new Map(
  LANGUAGES.map((language) => [
    language,
    new Map(
      SHORT_NAMES[language].flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
    ),
  ]),
);

/** Returns whether a word is the short name of a month in any language. */
export function namesMonth(word: string): boolean {
  return [...MONTHS_BY_NAME.values()].some((names) => names.has(word.toLowerCase()));
}
