import { makeExports } from './made/exports.ts';
import { type Ending, playExport } from './play-export.ts';

/** What became of many changed files. */
export type PlayedAll = {
  readonly files: number;
  readonly endings: Readonly<Record<Ending, number>>;
  /** By the name of the change: how often it was tried, and how often the file was accepted with what it says since. */
  readonly mutations: ReadonlyMap<string, { readonly tried: number; readonly said: number }>;
  readonly complaints: readonly string[];
};

/** Changes each of the two hundred exports in so many ways. The seed chooses the exports and the changes. */
export async function playExports(seed: number, changes: number): Promise<PlayedAll> {
  const endings: Record<Ending, number> = { held: 0, refused: 0, true: 0, withheld: 0, said: 0 };
  const mutations = new Map<string, { tried: number; said: number }>();
  const complaints: string[] = [];
  let turn = seed;
  for (const made of makeExports(seed)) {
    for (let change = 0; change < changes; change += 1, turn += 1) {
      const { mutation, ending, complaint } = await playExport(made, turn);
      const { tried, said } = mutations.get(mutation) ?? { tried: 0, said: 0 };
      mutations.set(mutation, { tried: tried + 1, said: said + (ending === 'said' ? 1 : 0) });
      endings[ending] += 1;
      if (complaint !== undefined)
        complaints.push(`seed ${seed}, ${made.name}, ${mutation}, turn ${turn}: ${complaint}`);
    }
  }
  return { files: turn - seed, endings, mutations, complaints };
}
