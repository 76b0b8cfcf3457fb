import { PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import { inviteAgain, invitePerson, type NewLink } from '../../ledger/person/invite-person.ts';
import { isDashboardNew, listPeople } from '../../ledger/person/people.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { newLink } from '../../actions/new-link.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { offerSetUpLink } from '../process/with-dashboard.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';
import { textTable } from '../print/table.ts';

const ROLE_NOTES = ['Roles:', ...Object.entries(PERSON_ROLES).map(([name, means]) => `  ${name.padEnd(10)}${means}`)];

const list: CliCommand = {
  name: 'list',
  about: 'Who may use the dashboard',
  options: [JSON_OPTION],
  examples: ['people list'],
  async run(call) {
    const people = await withLedger(call, (ledger) => listPeople(ledger));
    print(call, people, () => {
      if (people.length === 0) return 'Nobody yet. Run "paydrop people set-up" for the first administrator.';
      const rows = people.map((person) => [
        person.name,
        person.role,
        person.disabledAt ? 'shut out' : person.hasPassword || person.subject ? 'may log in' : 'invited',
        person.seenAt?.toISOString() ?? 'never',
      ]);
      return textTable(['Name', 'Role', 'State', 'Last seen'], rows);
    });
    return EXIT.ok;
  },
};

const setUp: CliCommand = {
  name: 'set-up',
  about: 'A new link for the first administrator, while there is nobody',
  options: [JSON_OPTION],
  notes: ['The link works once, within a day.'],
  examples: ['people set-up'],
  async run(call) {
    const link = await withLedger(call, async (ledger, settings) => {
      if (await isDashboardNew(ledger)) return offerSetUpLink(ledger, dashboardUrl(settings), 'asked for by hand');
      const next = 'Use "paydrop people link NAME" for an administrator who cannot log in.';
      throw new PipelineError('MOVE_REFUSED', 'make a set-up link', 'the dashboard is set up already', { next });
    });
    print(call, { link }, () => link);
    return EXIT.ok;
  },
};

const invite: CliCommand = {
  name: 'invite',
  about: 'Let somebody use the dashboard; prints the link by which they choose a password',
  takes: [['<name>', 'small letters, such as bob or bob.hill']],
  required: [['--role <role>', Object.keys(PERSON_ROLES).join(', ')], REASON_OPTION],
  options: [JSON_OPTION],
  notes: ROLE_NOTES,
  examples: ['people invite bob --role approver --reason "joins the accounting"'],
  run: (call) =>
    sendLink(call, 'invite a person', (ledger, link, because) =>
      invitePerson(ledger, { name: nameOf(call), role: readRole(call.options['role']) }, link, because),
    ),
};

const link: CliCommand = {
  name: 'link',
  about: 'A new link for somebody who cannot log in any more',
  takes: [['<name>', 'their name in "paydrop people list"']],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  examples: ['people link bob --reason "lost the password"'],
  run: (call) =>
    sendLink(call, 'make a link', (ledger, made, because) => inviteAgain(ledger, nameOf(call), made, because)),
};

export const people: CliCommand = {
  name: 'people',
  about: 'Who may use the dashboard',
  examples: ['people list'],
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
  throw new PipelineError('USAGE', `give the role "${String(role)}"`, `it is none of ${known}`);
}

/** Returns the address of the dashboard, as far as the configuration knows it. */
function dashboardUrl({ dashboard }: Settings): string {
  if (!dashboard)
    throw new PipelineError('USAGE', 'make a link to the dashboard', 'the dashboard is off in the configuration');
  const { host, port } = dashboard.listen;
  return dashboard.url ?? `${dashboard.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
