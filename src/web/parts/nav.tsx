import type { ComponentChildren } from 'preact';
import type { ActionName } from '../../../schemas/actions.ts';
import { type Shell, type Viewer, viewerMay } from '../access/viewer.ts';
import { Icon, type IconName } from './icon.tsx';

type Link = { readonly path: string; readonly label: string };

type NavRow = Link & {
  /** After `g`, leads here. */
  readonly key: string;
  readonly icon: IconName;
  readonly may: ActionName;
  /** Pages that belong to this one and are shown as tabs on top of each of them. */
  readonly tabs?: readonly Link[];
  readonly badge?: (shell: Shell, viewer: Viewer) => ComponentChildren;
};

const NAV: readonly { readonly title: string; readonly rows: readonly NavRow[] }[] = [
  {
    title: 'Work',
    rows: [
      { path: '/', key: 't', label: 'Today', icon: 'calendar-days', may: 'look' },
      { path: '/queue', key: 'q', label: 'Queue', icon: 'queue-list', may: 'look', badge: queueBadge },
      { path: '/approvals', key: 'a', label: 'Approvals', icon: 'check-badge', may: 'look', badge: approvalBadge },
    ],
  },
  {
    title: 'Money',
    rows: [
      { path: '/files', key: 'f', label: 'Files', icon: 'document-text', may: 'look' },
      {
        path: '/payments',
        key: 'p',
        label: 'Payments',
        icon: 'banknotes',
        may: 'look',
        tabs: [
          { path: '/payments', label: 'With an issue' },
          { path: '/search', label: 'Search' },
        ],
      },
      { path: '/report', key: 'r', label: 'Reports', icon: 'chart-bar', may: 'look' },
    ],
  },
  {
    title: 'Manage',
    rows: [
      {
        path: '/accounts',
        key: 'c',
        label: 'Accounts',
        icon: 'building-library',
        may: 'look',
        badge: accountBadge,
        tabs: [
          { path: '/accounts', label: 'Accounts' },
          { path: '/schedules', label: 'Schedules' },
          { path: '/profiles', label: 'Profiles' },
        ],
      },
      { path: '/people', key: 'u', label: 'Users', icon: 'users', may: 'people' },
      { path: '/audit', key: 'l', label: 'Audit', icon: 'clipboard-document-list', may: 'look' },
    ],
  },
];

/** Counts what waits for a person who may resolve it; a viewer would read a number that they cannot lower. */
function queueBadge({ badges: { needsYou, isInDoubt } }: Shell, viewer: Viewer): ComponentChildren {
  return (
    <>
      {needsYou > 0 && viewerMay(viewer, 'retry') && <Count of={needsYou} says="need attention" />}
      {isInDoubt && <Dot says="money is in doubt" />}
    </>
  );
}

function approvalBadge({ badges: { approvals } }: Shell, viewer: Viewer): ComponentChildren {
  return approvals > 0 && viewerMay(viewer, 'approve') && <Count of={approvals} says="wait for a decision" />;
}

function accountBadge({ badges: { stopped } }: Shell): ComponentChildren {
  return stopped > 0 && <Dot says="sending is stopped" />;
}

function Count({ of, says }: { of: number; says: string }) {
  return (
    <span class="badge">
      {of}
      <span class="hidden"> {says}</span>
    </span>
  );
}

function Dot({ says }: { says: string }) {
  return (
    <span class="dot bad">
      <span class="hidden">{says}</span>
    </span>
  );
}

/** Leads to every subject that the viewer may see, in groups. */
export function NavGroups({ viewer, path }: { viewer: Viewer; path: string }) {
  return (
    <>
      {NAV.map(({ title, rows }) => (
        <div key={title}>
          <h2>{title}</h2>
          <ul>
            {rows
              .filter(({ may }) => viewerMay(viewer, may))
              .map((row) => (
                <li key={row.path}>
                  <a
                    href={row.path}
                    data-hotkey={`g ${row.key}`}
                    aria-current={isWithin(row, path) ? 'page' : undefined}
                  >
                    <Icon name={row.icon} />
                    {row.label}
                    {viewer.shell && row.badge?.(viewer.shell, viewer)}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** Lists the keys that lead to the subjects which the viewer may see. */
export function listNavKeys(viewer: Viewer): { readonly keys: string; readonly label: string }[] {
  const rows = NAV.flatMap((group) => group.rows).filter(({ may }) => viewerMay(viewer, may));
  return rows.map(({ key, label }) => ({ keys: `g ${key}`, label }));
}

/** Leads between the pages that share an entry of the navigation. */
export function SectionTabs({ path }: { path: string }) {
  const tabs = NAV.flatMap(({ rows }) => rows).find((row) => row.tabs?.some((tab) => tab.path === path))?.tabs;
  if (!tabs) return null;
  return (
    <nav class="tabs" aria-label="Section">
      <ul>
        {tabs.map((tab) => (
          <li key={tab.path}>
            <a href={tab.path} aria-current={tab.path === path ? 'page' : undefined}>
              {tab.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isWithin({ path, tabs = [] }: NavRow, here: string): boolean {
  return [path, ...tabs.map((tab) => tab.path)].some((one) => isAt(one, here));
}

function isAt(link: string, path: string): boolean {
  return link === '/' ? path === '/' : path === link || path.startsWith(`${link}/`);
}
