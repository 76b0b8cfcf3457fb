/**
 * A 64-bit hash based on HalfSipHash-1-3, the form that Linux uses for its hash tables. With a random key, an attacker
 * cannot prepare collisions, and the stored hashes reveal nothing about the inputs. The hashes must stay in the process,
 * because the key has only 64 bits.
 *
 * Inputs are added in pieces, which avoids copying them together: `takeBytes` and `takeNumber`, then `finish`. It
 * writes two words at `to` and starts over. Piece lengths count, so moving bytes between pieces changes the hash.
 */
export class KeyedHash {
  readonly #first: number;
  readonly #second: number;
  #words = new Int32Array(FIRST_WORDS);
  #count = 0;

  /** @param key two words of 32 random bits */
  constructor(key: Uint32Array) {
    this.#first = key[0] ?? 0;
    this.#second = key[1] ?? 0;
  }

  takeBytes(bytes: Uint8Array, from: number, to: number): void {
    this.#makeRoom(to - from);
    const words = this.#words;
    let count = this.#count;
    words[count++] = to - from;
    let at = from;
    for (; at + 4 <= to; at += 4) {
      words[count++] = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    }
    if (at < to) {
      let word = 0;
      for (let shift = 0; at < to; at += 1, shift += 8) word |= bytes[at]! << shift;
      words[count++] = word;
    }
    this.#count = count;
  }

  /** @param number a safe integer */
  takeNumber(number: number): void {
    this.#makeRoom(8);
    this.#words[this.#count++] = number | 0;
    this.#words[this.#count++] = Math.floor(number / 2 ** 32);
  }

  /** Grows the buffer. Pieces are short, so it normally never grows. */
  #makeRoom(bytes: number): void {
    const needed = this.#count + 2 + bytes / 4;
    if (needed <= this.#words.length) return;
    const larger = new Int32Array(2 * needed);
    larger.set(this.#words);
    this.#words = larger;
  }

  finish(hash: Uint32Array, to: number): void {
    const [words, count] = [this.#words, this.#count];
    let a = this.#first;
    let b = this.#second ^ 0xee;
    let c = this.#first ^ 0x6c796765;
    let d = this.#second ^ 0x74656462;
    for (let round = 0; round < count + 6; round += 1) {
      const word = round < count ? words[round]! : 0;
      if (round === count) c ^= 0xee;
      if (round === count + 3) {
        hash[to] = b ^ d;
        b ^= 0xdd;
      }
      d ^= word;
      a = (a + b) | 0;
      b = ((b << 5) | (b >>> 27)) ^ a;
      a = (a << 16) | (a >>> 16);
      c = (c + d) | 0;
      d = ((d << 8) | (d >>> 24)) ^ c;
      a = (a + d) | 0;
      d = ((d << 7) | (d >>> 25)) ^ a;
      c = (c + b) | 0;
      b = ((b << 13) | (b >>> 19)) ^ c;
      c = (c << 16) | (c >>> 16);
      a ^= word;
    }
    hash[to + 1] = b ^ d;
    this.#count = 0;
  }
}

const FIRST_WORDS = 1_024;
