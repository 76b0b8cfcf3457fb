import type { FastifyInstance } from 'fastify';
import type { HandledAction } from '../../../actions/action.ts';
import type { App } from '../../../app.ts';
import { hiddenShown } from '../../../csv/profile/check/found-fault.ts';
import { diffVersions, listProfiles, pickVersion, type ProfileLine } from '../../../explain/read-profiles.ts';
import { whoDid } from '../../../explain/why/sentence.ts';
import type { ProfileRow } from '../../../ledger/engine/records.ts';
import { readVersions } from '../../../ledger/profile/read-profiles.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Refusal } from '../../access/refusal.ts';
import { viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { Facts, Section, Table } from '../../parts/blocks.tsx';
import { ChoiceField } from '../../parts/form.tsx';
import { ActionLinks, Page } from '../../parts/page.tsx';
import { Moment, State, Sum } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { viewerOf, type WebContext } from '../../web-context.ts';
import { crumbsTo, previewPage } from './preview.tsx';
import { suggestPages } from './suggest.tsx';

/** Serves the import profiles: which there are, one with its versions, and how to make one from a file. */
export async function profilePages(server: FastifyInstance, context: WebContext): Promise<void> {
  listPage(server, context);
  showPage(server, context);
  diffPage(server, context);
  await previewPage(server, context);
  await suggestPages(server, context);
}

function listPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/profiles', async (request, reply) => {
    const viewer = viewerOf(request);
    const lines = await listProfiles(app.ledger, app.settings);
    return sendPage(
      reply,
      <Page title="Profiles" viewer={viewer} path="/profiles" isLive>
        <Section title="Import profiles" live="profiles">
          <Table
            label="Import profiles"
            rows={lines}
            empty="None yet. A profile says how the files of an accounting system are read as payments."
            columns={[
              { title: 'Profile', place: 'name', cell: ({ name }) => <a href={`/profiles/${name}`}>{name}</a> },
              {
                title: 'Folders',
                cell: ({ folders }) => folders.join(', ') || <span class="soft">none names it</span>,
              },
              {
                title: 'Reads now',
                cell: ({ confirmed }) => (confirmed === null ? 'nothing' : `version ${confirmed}`),
              },
              { title: 'Newest version', cell: (line) => <Newest line={line} /> },
              {
                title: 'Confirmed by',
                cell: ({ confirmedBy, confirmedAt }) => <Who actor={confirmedBy} at={confirmedAt} />,
              },
            ]}
          />
          {viewerMay(viewer, 'import-profile') && (
            <p class="actions">
              <a class="button main" href="/new-profile">
                Make one from a file…
              </a>
            </p>
          )}
        </Section>
      </Page>,
    );
  });
}

function Newest({ line: { newest, state } }: { line: ProfileLine }) {
  if (newest === null) return <span class="soft">none</span>;
  return (
    <>
      {newest} <State state={state} />
    </>
  );
}

function Who({ actor, at, reason }: { actor: string | null; at: Date | null; reason?: string }) {
  if (actor === null || at === null) return null;
  return (
    <>
      {whoDid(actor)}, <Moment at={at} />
      {reason && <div class="hint">{reason}</div>}
    </>
  );
}

/**
 * Returns a profile that the ledger has or a folder names.
 * @throws Refusal NOT_FOUND
 */
async function findProfile({ ledger, settings }: App, params: unknown) {
  const wanted = fieldOf(params, 'name');
  const line = (await listProfiles(ledger, settings)).find(({ name }) => name === wanted);
  if (!line) throw new Refusal('NOT_FOUND');
  return { line, versions: await readVersions(ledger, line.name) };
}

function showPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/profiles/:name', async (request, reply) => {
    const viewer = viewerOf(request);
    const { line, versions } = await findProfile(app, request.params);
    const path = `/profiles/${line.name}`;
    return sendPage(
      reply,
      <Page title={line.name} viewer={viewer} path="/profiles" crumbs={crumbsTo(line.name).slice(0, 1)}>
        <Section title="Import profile">
          <ProfileFacts line={line} />
          <ActionLinks viewer={viewer} actions={actionsOf(versions)} base={path} />
          <p>
            {viewerMay(viewer, 'import-profile') && <a href="/new-profile">Make a version from a file</a>}{' '}
            {versions.length > 0 && (
              <>
                <a href={`${path}/preview`}>Preview a file</a> <a href={`${path}/diff`}>Compare two versions</a>
              </>
            )}
          </p>
        </Section>
        <Section title="Versions">
          <Versions path={path} versions={versions} currency={currencyOf(app, line)} />
        </Section>
        <VersionText versions={versions} wanted={fieldOf(request.query, 'version')} />
      </Page>,
    );
  });
}

function ProfileFacts({ line: { folders, confirmed } }: { line: ProfileLine }) {
  return (
    <Facts
      facts={[
        ['Folders', folders.join(', ') || 'no folder names it'],
        ['Reads now', confirmed === null ? 'nothing; files of its folders wait' : `version ${confirmed}`],
      ]}
    />
  );
}

function actionsOf(versions: readonly ProfileRow[]): HandledAction[] {
  const has = (wanted: ProfileRow['state']) => versions.some(({ state }) => state === wanted);
  return [
    'import-profile',
    ...(has('draft') ? (['confirm-profile'] as const) : []),
    ...(has('confirmed') ? (['retire-profile'] as const) : []),
  ];
}

function currencyOf({ settings }: App, { folders }: ProfileLine): string | undefined {
  const folder = settings.folders.find(({ id }) => id === folders[0]);
  return folder && settings.accounts.get(folder.account)?.currency;
}

type VersionsProps = {
  readonly path: string;
  readonly versions: readonly ProfileRow[];
  readonly currency: string | undefined;
};

function Versions({ path, versions, currency }: VersionsProps) {
  return (
    <Table
      label="Versions"
      rows={versions}
      empty="None yet. Make one from a file of the accounting system, or import its text."
      columns={[
        {
          title: 'Version',
          place: 'name',
          cell: ({ version }) => <a href={addressOf(path, { version })}>Version {version}</a>,
        },
        { title: 'State', cell: ({ state }) => <State state={state} /> },
        { title: 'Imported', cell: (row) => <Who actor={row.made_by} at={row.made_at} reason={row.reason} /> },
        { title: 'Confirmed', cell: (row) => <Who actor={row.confirmed_by} at={row.confirmed_at} /> },
        { title: 'Retired', cell: (row) => <Who actor={row.retired_by} at={row.retired_at} /> },
        {
          title: 'Its sample',
          cell: ({ sample_rows: rows, sample_cents: cents }) =>
            rows !== null && <Sum of={{ rows, cents: cents ?? 0 }} currency={currency} />,
        },
        { title: 'First files to hold', isFigure: true, cell: ({ first_files_left: left }) => left },
        {
          title: 'Changes',
          cell: ({ version }) =>
            version > 1 && (
              <a href={addressOf(`${path}/diff`, { from: version - 1, to: version })}>since version {version - 1}</a>
            ),
        },
      ]}
    />
  );
}

function VersionText({ versions, wanted }: { versions: readonly ProfileRow[]; wanted: string }) {
  const [newest, ...older] = versions;
  if (!newest) return null;
  const { version, text, sha256 } = pickVersion([newest, ...older], wanted || undefined);
  return (
    <Section title={`Text of version ${version}`}>
      <pre tabIndex={0}>{text.split('\n').map(hiddenShown).join('\n')}</pre>
      <p class="hint">
        SHA-256 <code class="wrap">{sha256}</code>
      </p>
    </Section>
  );
}

function diffPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/profiles/:name/diff', async (request, reply) => {
    const { line, versions } = await findProfile(app, request.params);
    const [one, other] = [fieldOf(request.query, 'from'), fieldOf(request.query, 'to')];
    const { name, from, to, changes } = await diffVersions(app.ledger, line.name, one || undefined, other || undefined);
    const choices = versions.map(({ version, state }) => ({ value: String(version), label: `${version}, ${state}` }));
    return sendPage(
      reply,
      <Page title={`Versions ${from} and ${to}`} viewer={viewerOf(request)} path="/profiles" crumbs={crumbsTo(name)}>
        <Section title="Which versions">
          <form action={`/profiles/${name}/diff`} class="inline filter">
            <ChoiceField name="from" label="From version" choices={choices} value={String(from)} />
            <ChoiceField name="to" label="To version" choices={choices} value={String(to)} />
            <div>
              <button type="submit">Compare</button>
            </div>
          </form>
        </Section>
        <Section title="What differs">
          <Table
            label="What differs"
            rows={changes}
            empty="They do not differ."
            columns={[{ title: 'Key, before and after', cell: (change) => <code>{hiddenShown(change)}</code> }]}
          />
        </Section>
      </Page>,
    );
  });
}
