import type { World } from '../world.ts';

/** One thing that may happen in a world. It tells the story and counts what it does. */
export type Step = {
  readonly name: string;
  readonly weight: number;
  readonly isPossible: (world: World) => boolean;
  readonly take: (world: World) => Promise<void>;
};

/** Adds a sentence to the story. Returns a way to extend it once the outcome is known. */
export function tell(world: World, sentence: string): { add(more: string): void } {
  const place = world.story.push(sentence) - 1;
  return {
    add: (more) => {
      world.story[place] += `; ${more}`;
    },
  };
}

/** Puts a text on one line and cuts it to a readable length. */
export function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}
