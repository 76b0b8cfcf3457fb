/**
 * Six-digit prefixes and lengths of card numbers, by method of payment. Maestro and Discover share the 6; the MOP
 * column tells them apart.
 */
const BRANDS: { readonly [mop: string]: Brand } = {
  VISA: { ranges: [[400_000, 499_999]], lengths: [13, 16, 19] },
  MC: {
    ranges: [
      [510_000, 559_999],
      [222_100, 272_099],
    ],
    lengths: [16],
  },
  AMX: {
    ranges: [
      [340_000, 349_999],
      [370_000, 379_999],
    ],
    lengths: [15],
  },
  DSC: {
    ranges: [
      [601_100, 601_199],
      [644_000, 659_999],
      [622_126, 622_925],
    ],
    lengths: [16, 17, 18, 19],
  },
  MAESTR: {
    ranges: [
      [500_000, 509_999],
      [560_000, 589_999],
      [600_000, 699_999],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  },
};

export type Brand = { readonly ranges: readonly (readonly [number, number])[]; readonly lengths: readonly number[] };

/**
 * Returns whether a card number has a prefix and a length of the method of payment.
 * @param mop canonical
 * @param digits digits only, 12 to 19
 */
export function isOfBrand(mop: string, digits: string): boolean {
  return fitsBrand(brandOf(mop), digits.length, Number(digits.slice(0, 6)));
}

/** Returns the brand of a method of payment, for checking many numbers; undefined for an unknown one. */
export function brandOf(mop: string): Brand | undefined {
  return BRANDS[mop];
}

/** @param start the first six digits as a number */
export function fitsBrand(brand: Brand | undefined, length: number, start: number): boolean {
  if (!brand?.lengths.includes(length)) return false;
  for (const [from, to] of brand.ranges) if (start >= from && start <= to) return true;
  return false;
}
