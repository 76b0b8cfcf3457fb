import type { ComponentChildren } from 'preact';
import { assetAt } from '../assets.ts';
import { type ActionName, ACTIONS } from '../../../schemas/actions.ts';
import { maskToken } from '../../crypto/secret-token.ts';
import { type Viewer, viewerMay } from '../access/viewer.ts';

type NavRow = { readonly path: string; readonly label: string; readonly may: ActionName };

const NAV: readonly NavRow[] = [
  { path: '/', label: 'Today', may: 'look' },
  { path: '/files', label: 'Files', may: 'look' },
  { path: '/drop', label: 'Check and drop', may: 'check' },
  { path: '/proposals', label: 'Proposals', may: 'look' },
  { path: '/accounts', label: 'Accounts', may: 'look' },
  { path: '/profiles', label: 'Profiles', may: 'look' },
  { path: '/report', label: 'Report', may: 'look' },
  { path: '/audit', label: 'Audit', may: 'look' },
  { path: '/people', label: 'Users', may: 'people' },
];

export type PageProps = {
  readonly title: string;
  readonly viewer: Viewer | null;
  readonly path: string;
  readonly crumbs?: readonly { readonly path: string; readonly label: string }[];
  readonly isLive?: boolean;
  readonly children?: ComponentChildren;
};

/** Renders a whole page. Scripts and styles are files, so that the server's policy can forbid all others. */
export function Page({ title, viewer, path, crumbs = [], isLive = false, children }: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {viewer && <meta name="csrf" content={maskToken(viewer.csrf)} />}
        <title>{`${title} · paydrop`}</title>
        <link rel="icon" href={assetAt('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetAt('dashboard.css')} />
        <script src={assetAt('dashboard.js')} type="module" />
      </head>
      <body data-live={isLive ? 'on' : undefined}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {viewer && <Header viewer={viewer} path={path} />}
        <main id="main" tabIndex={-1} class={viewer ? undefined : 'alone'}>
          {crumbs.length > 0 && <Crumbs crumbs={crumbs} title={title} />}
          <h1>{title}</h1>
          {children}
        </main>
        {viewer && <Footer />}
      </body>
    </html>
  );
}

function Header({ viewer, path }: { viewer: Viewer; path: string }) {
  return (
    <header class="top">
      <a class="brand" href="/">
        paydrop
      </a>
      <nav aria-label="Main">
        <ul>
          {NAV.filter(({ may }) => viewerMay(viewer, may)).map((row) => (
            <li key={row.path}>
              <a href={row.path} aria-current={isHere(row.path, path) ? 'page' : undefined}>
                {row.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="tools">
        <form class="search" action="/search" role="search">
          <label class="hidden" for="top-search">
            Invoice, file or batch id
          </label>
          <input id="top-search" type="search" name="q" placeholder="Invoice or file" autocomplete="off" />
        </form>
        <div class="me">
          <a href="/me">{viewer.person}</a> <span class="role">{viewer.role}</span>
          <form method="post" action="/logout">
            <Token viewer={viewer} />
            <button type="submit" class="plain">
              Log out
            </button>
          </form>
        </div>
      </div>
    </header>
  );
}

function Footer() {
  return (
    <footer class="foot">
      <a href="/queues">Queues</a> <a href="/api">API</a>
    </footer>
  );
}

function isHere(link: string, path: string): boolean {
  return link === '/' ? path === '/' : path === link || path.startsWith(`${link}/`);
}

function Crumbs({ crumbs, title }: { crumbs: NonNullable<PageProps['crumbs']>; title: string }) {
  return (
    <nav class="crumbs" aria-label="Where you are">
      <ol>
        {crumbs.map(({ path, label }) => (
          <li key={path}>
            <a href={path}>{label}</a>
          </li>
        ))}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  );
}

/** Adds the token that proves a form comes from this user's page; every form that changes anything needs it. */
export function Token({ viewer }: { viewer: Viewer }) {
  return <input type="hidden" name="_csrf" value={maskToken(viewer.csrf)} />;
}

/** Links to the actions that the viewer may take here. Others are left out: a button that refuses is no help. */
export function ActionLinks({
  viewer,
  actions,
  base,
}: {
  viewer: Viewer;
  actions: readonly ActionName[];
  base: string;
}) {
  const allowed = actions.filter((name) => viewerMay(viewer, name));
  if (allowed.length === 0) return null;
  return (
    <p class="actions">
      {allowed.map((name) => (
        <a key={name} class={ACTIONS[name].destructive ? 'button destructive' : 'button'} href={`${base}/do/${name}`}>
          {ACTIONS[name].label}…
        </a>
      ))}
    </p>
  );
}
