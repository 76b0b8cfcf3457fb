import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

/** The styles, scripts, icons and fonts by their path in `assets`; some 100 KB. */
const FILES = readFolder(fileURLToPath(new URL('./assets/', import.meta.url)));

/** Changes with any of the files, so that browsers may keep each address forever. */
const ASSETS_PATH = `/assets/${hashOf(FILES)}/`;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Returns the address of a file in `assets`. */
export function assetAt(name: string): string {
  return ASSETS_PATH + name;
}

/** Serves styles and scripts without a log-in, because the log-in page needs them too. Anything else is not found. */
export async function serveAssets(scope: FastifyInstance): Promise<void> {
  scope.get<{ Params: { '*': string } }>(`${ASSETS_PATH}*`, { config: { may: 'anybody' } }, async (request, reply) => {
    const { '*': name } = request.params;
    const bytes = FILES.get(name);
    if (bytes === undefined) return reply.callNotFound();
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type(TYPES[extname(name)] ?? 'text/plain; charset=utf-8').send(bytes);
  });
}

function readFolder(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return new Map(paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path)]));
}

function hashOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(name).update(bytes);
  return hash.digest('hex').slice(0, 12);
}
