import type { ComponentChildren } from 'preact';
import { assetAt } from '../assets.ts';
import { type ActionName, ACTIONS } from '../../../schemas/actions.ts';
import { maskToken } from '../../crypto/secret-token.ts';
import { type Shell, type Viewer, viewerMay } from '../access/viewer.ts';
import { Icon } from './icon.tsx';
import { NavGroups, SectionTabs } from './nav.tsx';
import { nameZone, PageTimeContext } from './when.ts';

export type PageProps = {
  readonly title: string;
  readonly viewer: Viewer | null;
  readonly path: string;
  readonly crumbs?: readonly { readonly path: string; readonly label: string }[];
  readonly isLive?: boolean;
  /** Whether the page is about something that ends soon: without scripts, the browser loads it again. */
  readonly isAwaited?: boolean;
  /** On lists: the account to which this one is limited; empty for all. */
  readonly only?: string;
  readonly children?: ComponentChildren;
};

/** Renders a whole page. Scripts and styles are files, so that the server's policy can forbid all others. */
export function Page({
  title,
  viewer,
  path,
  crumbs = [],
  isLive = false,
  isAwaited = false,
  only,
  children,
}: PageProps) {
  const badges = viewer?.shell?.badges;
  return (
    <html lang="en" data-theme={viewer?.settings?.theme} data-density={viewer?.settings?.density}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {viewer && <meta name="csrf" content={maskToken(viewer.csrf)} />}
        {isAwaited && (
          <noscript>
            <meta http-equiv="refresh" content="3" />
          </noscript>
        )}
        <title>{titleOf(title, viewer)}</title>
        <link rel="icon" href={assetAt(badges?.isInDoubt ? 'icon-alert.svg' : 'icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetAt('tokens.css')} />
        <link rel="stylesheet" href={assetAt('dashboard.css')} />
        <script src={assetAt('dashboard.js')} type="module" />
      </head>
      <body data-live={isLive ? 'on' : undefined} data-now={viewer?.shell?.now.toISOString()}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {viewer && <SideBar viewer={viewer} path={path} />}
        <main id="main" tabIndex={-1} class={viewer ? undefined : 'alone'}>
          {crumbs.length > 0 && <Crumbs crumbs={crumbs} title={title} />}
          <h1>{title}</h1>
          <SectionTabs path={path} />
          {only !== undefined && <Only account={only} path={path} shell={viewer?.shell} />}
          <PageTimeContext.Provider value={viewer?.shell}>{children}</PageTimeContext.Provider>
        </main>
      </body>
    </html>
  );
}

/** Begins with the number of what needs attention, so that a tab in the background tells it. */
function titleOf(title: string, viewer: Viewer | null): string {
  const count = viewer?.shell && viewerMay(viewer, 'retry') ? viewer.shell.badges.needsYou : 0;
  return `${count > 0 ? `(${count}) ` : ''}${title} · paydrop`;
}

/** Leads everywhere: beside the page on a wide screen, otherwise on top of it with a menu that the browser opens. */
function SideBar({ viewer, path }: { viewer: Viewer; path: string }) {
  return (
    <header class="side">
      <a class="brand" href="/">
        paydrop
      </a>
      {viewerMay(viewer, 'check') && (
        <a class="button upload" href="/drop" data-hotkey="g d">
          <Icon name="arrow-up-tray" />
          <span>Upload file</span>
        </a>
      )}
      <form class="search" action="/search" role="search">
        <label class="hidden" for="top-search">
          Invoice, amount, day, file or batch id
        </label>
        <Icon name="magnifying-glass" />
        <input
          id="top-search"
          type="search"
          name="q"
          placeholder="Search"
          autocomplete="off"
          pattern={WITHOUT_LONG_NUMBER}
          title={LONG_NUMBER_HINT}
          data-hotkey={SEARCH_KEYS}
        />
      </form>
      <button type="button" class="open-menu" popovertarget="menu">
        <Icon name="bars-3" />
        Menu
      </button>
      <div id="menu" class="menu" popover="auto">
        {viewer.shell && <AccountSwitch viewer={viewer} shell={viewer.shell} />}
        <nav aria-label="Main" data-part="nav">
          <NavGroups viewer={viewer} path={path} />
        </nav>
        <Foot viewer={viewer} />
        {viewer.shell && <p class="zone">Times: {nameZone(viewer.shell.timeZone)}</p>}
        <label class="pause" hidden>
          <input id="pause" type="checkbox" /> Pause updates
        </label>
      </div>
    </header>
  );
}

/**
 * Pattern of search words without the groups of a whole card number. The browser then sends nothing, so that the number
 * comes into no address. The server refuses all other long numbers.
 */
export const WITHOUT_LONG_NUMBER = '(?!.*[0-9]{4}[ .\\-]?[0-9]{4,6}[ .\\-]?[0-9]{4}).*';
export const LONG_NUMBER_HINT =
  'Never a whole card or account number: the last four digits and the amount find a payment';

/** Keyboards with other layouts reach the slash with shift. */
const SEARCH_KEYS = '/,Shift+/,Control+k,Meta+k';

/** Limits the lists to one account. Each list says so, so that nobody takes a part for the whole. */
function AccountSwitch({ viewer, shell: { accounts, account } }: { viewer: Viewer; shell: Shell }) {
  if (accounts.length < 2) return null;
  const choices = [{ value: '', label: 'All accounts' }, ...accounts.map((value) => ({ value, label: value }))];
  return (
    <details class="accounts">
      <summary>
        {account ?? 'All accounts'}
        <Icon name="chevron-up-down" />
      </summary>
      <form method="post" action="/account">
        <Token viewer={viewer} />
        {choices.map(({ value, label }) => (
          <button key={value} type="submit" name="account" value={value} aria-pressed={value === (account ?? '')}>
            {label}
          </button>
        ))}
      </form>
    </details>
  );
}

function Foot({ viewer }: { viewer: Viewer }) {
  return (
    <ul class="foot">
      <li>
        <a href="/me">
          <Icon name="user-circle" />
          {viewer.person} <span class="soft">{viewer.role}</span>
        </a>
      </li>
      <li>
        <a href="/keyboard" data-hotkey="Shift+?,?">
          <Icon name="command-line" />
          Keyboard
        </a>
      </li>
      <li>
        <a href="/api">
          <Icon name="code-bracket" />
          API
        </a>
      </li>
      <li>
        <form method="post" action="/logout">
          <Token viewer={viewer} />
          <button type="submit">
            <Icon name="arrow-right-start-on-rectangle" />
            Log out
          </button>
        </form>
      </li>
    </ul>
  );
}

/** Says to which account a list is limited, and leads to the whole. */
function Only({ account, path, shell }: { account: string; path: string; shell: Shell | undefined }) {
  if (account === '' && shell?.account === undefined) return null;
  if (account === '') return <p class="only">All accounts are shown.</p>;
  return (
    <p class="only">
      <span>
        Only account <strong>{account}</strong>
      </span>
      <a href={`${path}?account=`}>Show all accounts</a>
    </p>
  );
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
        <a
          key={name}
          class={ACTIONS[name].destructive === 'irreversible' ? 'button irreversible' : 'button'}
          href={`${base}/do/${name}`}
        >
          {ACTIONS[name].label}…
        </a>
      ))}
    </p>
  );
}
