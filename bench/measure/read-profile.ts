import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The parts used of a profile that Node writes with `--cpu-prof`: the call tree and the sampled nodes. */
const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  /** In microseconds, each since the previous sample. */
  timeDeltas: z.array(z.number()),
});
export type Profile = z.infer<typeof Profile>;

/** Time in ms: in total, and in native functions such as system calls, hashes and ciphers. */
type Spent = { allMs: number; nativeMs: number };

/** Reads and adds up all profiles in a folder, one per thread. */
export async function readProfiles(dir: string): Promise<Map<string, Spent>> {
  const spent = new Map<string, Spent>();
  for (const name of await readdir(dir)) {
    if (!name.endsWith('.cpuprofile')) continue;
    const profile = Profile.parse(JSON.parse(await readFile(join(dir, name), 'utf8')));
    addTo(spent, profile);
  }
  return spent;
}

/** Adds the time spent by each code owner. Idle time is not counted. */
function addTo(spent: Map<string, Spent>, { nodes, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callerOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const ownerOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = callerOf.get(at)) {
      const owner = ownerOfCode(byId.get(at)!.callFrame.url);
      if (owner !== undefined) return owner;
    }
    return NODE;
  };
  const owners = new Map(nodes.map(({ id }) => [id, ownerOf(id)]));
  for (const [index, id] of samples.entries()) {
    const { functionName, url } = byId.get(id)!.callFrame;
    if (functionName === '(idle)') continue;
    const owner = functionName === '(garbage collector)' ? GARBAGE : owners.get(id)!;
    const sum = spent.get(owner) ?? { allMs: 0, nativeMs: 0 };
    spent.set(owner, sum);
    const ms = timeDeltas[index]! / 1_000;
    sum.allMs += ms;
    if (url === '' && !functionName.startsWith('(')) sum.nativeMs += ms;
  }
}

/** Owners other than paydrop's folders and packages. */
export const NODE = 'Node and V8';
export const GARBAGE = 'collecting garbage';

/** Returns the package, or the folder of paydrop. Node's own code has none and counts for its caller. */
function ownerOfCode(url: string): string | undefined {
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packaged !== undefined) return PARTS_OF[packaged] ?? packaged;
  const own = /\/dist\/(src\/[^/]+(?=\/)|src|workers|schemas|bench)/.exec(url)?.[1];
  // These modules write pg's protocol messages directly, so their time counts as pg.
  return own === 'src/ledger' && PAST_PG.test(url) ? 'pg' : own;
}

const PAST_PG = /\/ledger\/engine\/(?:ask-together|begin-with-first|copy-in)\.js/;

/** Packages that belong to another package. */
const PARTS_OF: Readonly<Record<string, string>> = {
  'pg-protocol': 'pg',
  'pg-pool': 'pg',
  'pg-types': 'pg',
  'postgres-array': 'pg',
  'postgres-bytea': 'pg',
  'postgres-date': 'pg',
  readdirp: 'chokidar',
};
