import { PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import { inviteAgain, invitePerson, type NewLink } from '../../ledger/person/invite-person.ts';
import { isDashboardNew, listPeople, sayUnseen } from '../../ledger/person/people.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { newLink } from '../../actions/new-link.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { offerSetUpLink } from '../process/with-dashboard.ts';
import { operatorName, readReason, REASON_OPTION } from '../option-values.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { textTable } from '../print/table.ts';

const ROLE_NOTES = ['Roles:', ...Object.entries(PERSON_ROLES).map(([name, means]) => `  ${name.padEnd(10)}${means}`)];

const list: CliCommand = {
  name: 'list',
  about: 'List users of the dashboard',
  options: [JSON_OPTION],
  examples: ['users list'],
  async run(call) {
    const { people, when } = await withLedger(call, async (ledger, settings) => ({
      people: await listPeople(ledger),
      when: momentsIn(zoneOf(settings), ledger.clock.now()),
    }));
    print(call, people, () => {
      if (people.length === 0) return 'There are no users yet. Run "paydrop users set-up" for the first administrator.';
      const rows = people.map((person) => [
        person.name,
        person.role,
        person.disabledAt ? 'disabled' : person.hasPassword || person.subject ? 'active' : 'invited',
        person.seenAt ? when(person.seenAt) : sayUnseen(person),
      ]);
      return textTable(['Name', 'Role', 'State', 'Last seen'], rows);
    });
    return EXIT.ok;
  },
};

const setUp: CliCommand = {
  name: 'set-up',
  about: 'Make a new link for the first administrator, while there are no users',
  options: [JSON_OPTION],
  notes: ['The link works once, within a day.'],
  examples: ['users set-up'],
  async run(call) {
    const link = await withLedger(call, async (ledger, settings) => {
      if (await isDashboardNew(ledger)) return offerSetUpLink(ledger, dashboardUrl(settings), 'requested by hand');
      const next = 'Use "paydrop users link NAME" for an administrator who cannot log in.';
      throw new PipelineError('MOVE_REFUSED', 'make a set-up link', 'the dashboard is already set up', { next });
    });
    print(call, { link }, () => link);
    return EXIT.ok;
  },
};

const invite: CliCommand = {
  name: 'invite',
  about: 'Invite a user to the dashboard; prints the link to choose a password',
  takes: [['<name>', 'lowercase letters, such as bob or bob.hill']],
  required: [['--role <role>', Object.keys(PERSON_ROLES).join(', ')], REASON_OPTION],
  options: [JSON_OPTION],
  notes: ROLE_NOTES,
  examples: ['users invite bob --role approver --reason "joins accounting"'],
  run: (call) =>
    sendLink(call, 'invite a person', (ledger, link, because) =>
      invitePerson(ledger, { name: nameOf(call), role: readRole(call.options['role']) }, link, because),
    ),
};

const link: CliCommand = {
  name: 'link',
  about: 'Make a new link for a user who can no longer log in',
  takes: [['<name>', 'their name in "paydrop users list"']],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  examples: ['users link bob --reason "lost the password"'],
  run: (call) =>
    sendLink(call, 'make a link', (ledger, made, because) => inviteAgain(ledger, nameOf(call), made, because)),
};

export const people: CliCommand = {
  name: 'users',
  about: 'Manage users of the dashboard',
  examples: ['users list'],
  commands: [list, setUp, invite, link],
};

async function sendLink(
  call: Call,
  action: string,
  make: (ledger: Ledger, link: NewLink, because: AuditReason) => Promise<void>,
): Promise<number> {
  const reason = readReason(call, action);
  const url = await withLedger(call, async (ledger, settings) => {
    const { token, link: made } = newLink(ledger.clock.now());
    await make(ledger, made, { actor: operatorName(), reason });
    return `${dashboardUrl(settings)}/set-up/${token}`;
  });
  print(call, { name: nameOf(call), link: url }, () => url);
  return EXIT.ok;
}

function nameOf({ arguments: [name = ''] }: Call): string {
  return name.toLowerCase();
}

function readRole(role: unknown): PersonRole {
  if (typeof role === 'string' && Object.hasOwn(PERSON_ROLES, role)) return role as PersonRole;
  const known = Object.keys(PERSON_ROLES).join(', ');
  throw new PipelineError('USAGE', `give the role "${String(role)}"`, `it must be one of ${known}`);
}

/** Returns the address of the dashboard, as far as the configuration knows it. */
function dashboardUrl({ dashboard }: Settings): string {
  if (!dashboard)
    throw new PipelineError('USAGE', 'make a link to the dashboard', 'the dashboard is off in the configuration');
  const { host, port } = dashboard.listen;
  return dashboard.url ?? `${dashboard.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
