/**
 * What a process may do. By default one process does everything; several can share the work by role. `atSite` roles
 * need folders and sealed originals, so they run where the folder is. The others run anywhere, because what is sent
 * travels sealed through the ledger.
 */
export const ROLES = {
  watch: { atSite: true, about: 'lists the drop folders and claims what is complete' },
  intake: { atSite: true, about: 'checks claimed files and cuts their batches' },
  submit: { atSite: false, about: 'sends batches; keeps a send journal of its own' },
  poll: { atSite: false, about: 'asks for results' },
  deliver: { atSite: true, about: 'writes the output files' },
  web: {
    atSite: false,
    about: 'answers the dashboard; files are dropped and fetched there where the folders lie',
  },
  schedule: { atSite: true, about: 'makes the runs of schedules that are due' },
} as const;

export type Role = keyof typeof ROLES;

export const EVERY_ROLE: ReadonlySet<Role> = new Set(Object.keys(ROLES) as Role[]);

/** The site of a folder or a process that names none. */
export const HOME_SITE = 'main';
