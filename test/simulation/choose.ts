import { seededRandom } from '../support/random.ts';

/** Every choice of a scenario comes from here, so that the seed alone tells the whole story. */
export type Choose = {
  /** From 0 up to but not with `count`. */
  below(count: number): number;
  /** Both ends are possible. */
  between(least: number, most: number): number;
  /** Whether something of this likelihood, 0 to 1, happens. */
  happens(likelihood: number): boolean;
  one<Item>(items: readonly Item[]): Item;
  /** Likelihoods are to each other as the weights. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
  digits(count: number): string;
  bytes(count: number): Buffer;
};

export function chooser(seed: number): Choose {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new Error('there is nothing to choose from');
    return items[below(items.length)]!;
  };
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (likelihood) => random() < likelihood,
    one,
    weighted: (items) => {
      let rest = random() * items.reduce((sum, item) => sum + item.weight, 0);
      for (const item of items) {
        rest -= item.weight;
        if (rest < 0) return item;
      }
      return one(items);
    },
    shuffle: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0]!);
    },
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}
