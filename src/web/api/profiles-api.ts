import type { FastifyInstance } from 'fastify';
import { diffVersions, listProfiles, readProfile } from '../../explain/read-profiles.ts';
import type { WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import { CENTS, each, listOf, maybe, MOMENT, objectOf, TEXT, WHOLE } from './shapes.ts';

type Named = { Params: { name: string }; Querystring: { from?: string; to?: string } };

/** Serves the import profiles: which version reads, all versions with their texts, and what differs between two. */
export function profilesApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  server.get('/profiles', { schema: LIST }, async () => ({ profiles: await listProfiles(ledger, settings) }));

  server.get<Named>('/profiles/:name', { schema: SHOW }, async ({ params: { name } }) => ({
    name,
    versions: await readProfile(ledger, name),
  }));

  server.get<Named>('/profiles/:name/diff', { schema: DIFF }, ({ params: { name }, query: { from, to } }) =>
    diffVersions(ledger, name, from, to),
  );
}

const tag = 'Profiles';

const NAME = { ...TEXT, maxLength: 40 };

const LIST = apiSchema({
  tag,
  summary: 'Every import profile: its folders, the version that reads, and the newest',
  answer: objectOf({
    profiles: listOf(
      objectOf({
        name: TEXT,
        folders: listOf(TEXT),
        confirmed: { ...maybe(WHOLE), description: 'The version that reads; null while none does.' },
        newest: maybe(WHOLE),
        state: { ...TEXT, description: 'State of the newest version; missing when there is none.' },
        confirmedBy: maybe(TEXT),
        confirmedAt: maybe(MOMENT),
      }),
    ),
  }),
});

const SHOW = apiSchema({
  tag,
  summary: 'All versions of an import profile, newest first',
  params: { name: NAME },
  answer: objectOf({
    name: TEXT,
    versions: listOf(
      objectOf({
        ...each(WHOLE, 'profile_no', 'version', 'first_files'),
        ...each(TEXT, 'name', 'sha256', 'text', 'state', 'reason', 'made_by'),
        made_at: MOMENT,
        ...each(maybe(TEXT), 'confirmed_by', 'sample_sha256', 'retired_by'),
        ...each(maybe(MOMENT), 'confirmed_at', 'retired_at'),
        ...each(maybe(WHOLE), 'replaces', 'sample_rows', 'first_files_left'),
        sample_cents: maybe(CENTS),
        sample_skipped: maybe(listOf(objectOf({ name: TEXT, rows: WHOLE, cents: CENTS }))),
      }),
    ),
  }),
});

const VERSION = { ...TEXT, pattern: '^[1-9]\\d{0,8}$' };

const DIFF = apiSchema({
  tag,
  summary: 'What differs between two versions of an import profile',
  description: 'Without numbers, between the version that reads and the newest.',
  params: { name: NAME },
  query: { from: VERSION, to: VERSION },
  answer: objectOf({ name: TEXT, from: WHOLE, to: WHOLE, changes: listOf(TEXT) }),
});
