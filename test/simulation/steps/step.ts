import type { World } from '../world.ts';

/** One thing that may happen in a world. It tells the story and counts what it does. */
export type Step = {
  readonly name: string;
  readonly weight: number;
  readonly isPossible: (world: World) => boolean;
  readonly take: (world: World) => Promise<void>;
};

/** Adds a sentence to the story. @returns a way to go on with it, when it is known how it ended */
export function tell(world: World, sentence: string): { add(more: string): void } {
  const place = world.story.push(sentence) - 1;
  return {
    add: (more) => {
      world.story[place] += `; ${more}`;
    },
  };
}

/** On one line, and no longer than somebody reads. */
export function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}
