/**
 * A hash of 64 bits after HalfSipHash-2-4, over the UTF-16 units of a text. With a random key nobody can prepare texts
 * that meet in it, and what is kept in memory says nothing about the texts.
 * @param key two words of 32 random bits
 * @returns the hash function; it writes its two words into `hash`, so that a million calls leave nothing behind
 */
export function keyedHash(key: Uint32Array): (text: string, hash: Uint32Array) => void {
  const first = key[0] ?? 0;
  const second = key[1] ?? 0;
  const state = new Int32Array(4);

  return (text, hash) => {
    state[0] = first;
    state[1] = second ^ 0xee;
    state[2] = first ^ 0x6c796765;
    state[3] = second ^ 0x74656462;
    for (let at = 0; at < text.length; at += 2) {
      absorbWord(state, text.charCodeAt(at) | ((at + 1 < text.length ? text.charCodeAt(at + 1) : 0) << 16));
    }
    // The length keeps a text apart from the same text with a NUL behind it.
    absorbWord(state, text.length);
    state[2] ^= 0xee;
    mixState(state, 4);
    hash[0] = state[1] ^ state[3];
    state[1] ^= 0xdd;
    mixState(state, 4);
    hash[1] = state[1] ^ state[3];
  };
}

function absorbWord(state: Int32Array, word: number): void {
  state[3]! ^= word;
  mixState(state, 2);
  state[0]! ^= word;
}

function mixState(state: Int32Array, rounds: number): void {
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  for (let round = 0; round < rounds; round += 1) {
    a = (a + b) | 0;
    b = rotateLeft(b, 5) ^ a;
    a = rotateLeft(a, 16);
    c = (c + d) | 0;
    d = rotateLeft(d, 8) ^ c;
    a = (a + d) | 0;
    d = rotateLeft(d, 7) ^ a;
    c = (c + b) | 0;
    b = rotateLeft(b, 13) ^ c;
    c = rotateLeft(c, 16);
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
