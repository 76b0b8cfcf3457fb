import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** How often each function ran, by its file, its place and its name. */
export type Calls = ReadonlyMap<string, { readonly path: string; readonly name: string; readonly count: number }>;

/**
 * Counts the calls of functions of this process from now on, with the coverage of V8.
 * @param isOurs chooses files by their path from the root
 */
export async function countCalls(
  root: string,
  isOurs: (path: string) => boolean,
): Promise<{
  /** Returns the calls since the last time. */
  take(): Promise<Calls>;
  stop(): Promise<void>;
}> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    take: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const calls = result.flatMap(({ url, functions }) => {
        const path = pathOf(url, root);
        if (path === undefined || !isOurs(path)) return [];
        // The first one is the module itself. Names with two underscores are of the compiler.
        return functions.slice(1).flatMap(({ functionName, ranges: [whole] }) => {
          const count = whole?.count ?? 0;
          if (count === 0 || functionName.startsWith('__')) return [];
          return [[`${path}:${whole?.startOffset}`, { path, name: functionName, count }] as const];
        });
      });
      return new Map(calls);
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

function pathOf(url: string, root: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(url.replace(/\?.*$/, ''));
  return path.startsWith(root) ? path.slice(root.length) : undefined;
}

/**
 * Leaves out functions that ran no more often than in an idle time.
 * @param share how long the calls took, compared with the idle time
 */
export function callsWithout(idle: Calls, calls: Calls, share: number): Calls {
  return new Map([...calls].filter(([key, { count }]) => count > Math.ceil((idle.get(key)?.count ?? 0) * share)));
}
