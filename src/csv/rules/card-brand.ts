/**
 * Six-digit prefixes and lengths of card numbers, by method of payment. Maestro and Discover share the 6; the MOP
 * column tells them apart.
 */
const BRANDS: { readonly [mop: string]: Brand } = {
  VISA: brand('400000-499999', [13, 16, 19]),
  MC: brand('510000-559999 222100-272099', [16]),
  AMX: brand('340000-349999 370000-379999', [15]),
  DSC: brand('601100-601199 644000-659999 622126-622925', [16, 17, 18, 19]),
  MAESTR: brand('500000-509999 560000-589999 600000-699999', [12, 13, 14, 15, 16, 17, 18, 19]),
};

function brand(ranges: string, lengths: readonly number[]): Brand {
  return {
    ranges: ranges.split(' ').map((range) => [Number(range.slice(0, 6)), Number(range.slice(7))]),
    lengths,
  };
}

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
