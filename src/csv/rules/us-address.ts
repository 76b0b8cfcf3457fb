import type { FaultCode } from '../../../schemas/errors.ts';

type OddCell = { readonly column: 'state' | 'zipCode'; readonly code: FaultCode; readonly detail?: string };

/**
 * Finds oddities in the address of a row, for US accounts. Payers may live abroad, so most are only noted. A zip code
 * that has certainly lost its leading zero shows spreadsheet damage.
 * @param state in canonical form, like `zipCode`
 */
export function findOddAddress(state: string, zipCode: string): OddCell[] {
  if (isPlainState(state) && isPlainZip(zipCode.length)) return [];
  const found: OddCell[] = [];
  const place = state.replaceAll('.', '').normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
  if (place !== '' && !PLACES.has(place)) found.push({ column: 'state', code: 'STATE_UNKNOWN' });
  if (!/^(?:\d{3,4}(?:-\d{4})?|\d{7,8})$/.test(zipCode)) return found;
  if (ZERO_IN_FRONT.has(place)) {
    found.push({ column: 'zipCode', code: 'SPREADSHEET_DAMAGE', detail: 'the leading zero is missing' });
  } else found.push({ column: 'zipCode', code: 'ZIP_SHORT' });
  return found;
}

/** Returns whether the state is empty or a known two-letter code, as in nearly all rows. */
export function isPlainState(state: string): boolean {
  return state === '' || (state.length === 2 && PLACES.has(state));
}

/**
 * Returns whether a zip code has a usual length: empty, five digits, or nine with a dash. Others need a closer check.
 * @param length in characters
 */
export function isPlainZip(length: number): boolean {
  return length === 0 || length === 5 || length === 10;
}

/** US states, other areas with a US postal code, and Canadian provinces. */
const NAMES: ReadonlyMap<string, string> = new Map(
  `
    AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
    DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa,
    KS Kansas, KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota,
    MS Mississippi, MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey,
    NM New Mexico, NY New York, NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon,
    PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah,
    VT Vermont, VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming, AS American Samoa,
    GU Guam, MP Northern Mariana Islands, PR Puerto Rico, VI Virgin Islands, FM Micronesia, MH Marshall Islands,
    PW Palau, AA Armed Forces Americas, AE Armed Forces Europe, AP Armed Forces Pacific, AB Alberta,
    BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador, NS Nova Scotia,
    NT Northwest Territories, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec, SK Saskatchewan,
    YT Yukon`
    .split(',')
    .map((place) => [place.trim().slice(0, 2), place.trim().slice(3)]),
);

const PLACES: ReadonlySet<string> = new Set([...NAMES].flatMap(([code, name]) => [code, name.toUpperCase()]));

/** Places where all zip codes begin with a zero. */
const ZERO_IN_FRONT: ReadonlySet<string> = new Set(
  ['CT', 'MA', 'ME', 'NH', 'NJ', 'RI', 'VT', 'PR', 'VI', 'AE'].flatMap((code) => [
    code,
    NAMES.get(code)!.toUpperCase(),
  ]),
);
