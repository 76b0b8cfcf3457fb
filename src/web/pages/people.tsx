import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { changeRole, disablePerson, enablePerson } from '../../ledger/person/change-person.ts';
import { inviteAgain, invitePerson } from '../../ledger/person/invite-person.ts';
import { endOtherSessions } from '../../ledger/person/sessions.ts';
import { listPeople, type Person, sayUnseen } from '../../ledger/person/people.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { counted } from '../../kernel/counted.ts';
import { newLink } from '../../actions/new-link.ts';
import { fieldOf, reasonFrom } from '../access/read-form.ts';
import { mustBeProved } from '../access/step-up.ts';
import { actorOf, type Viewer } from '../access/viewer.ts';
import { addressOf, type WebContext, viewerOf } from '../web-context.ts';
import { Facts, Notice, Section, Table } from '../parts/blocks.tsx';
import { ChoiceField, TextField } from '../parts/form.tsx';
import { Page, Token } from '../parts/page.tsx';
import { Moment } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';

/** Serves `/people`: who may use the dashboard. */
export function peoplePages(server: FastifyInstance, context: WebContext): void {
  const config = { may: 'people' } as const;
  const { ledger, clock } = context.app;

  server.get('/people', { config }, async (request, reply) => show(request, reply, context));

  server.post('/people', { config }, async (request, reply) => {
    mustBeProved(viewerOf(request), context);
    const name = fieldOf(request.body, 'name').toLowerCase();
    const role = readRole(fieldOf(request.body, 'role'));
    const { token, link } = newLink(clock.now());
    await invitePerson(ledger, { name, role }, link, because(request, `invite "${name}"`));
    return show(request, reply, context, { name, token });
  });

  // The result of the form below may show a link, at this address.
  server.get('/people/:name', { config }, async (_, reply) => reply.redirect('/people'));

  server.post('/people/:name', { config }, async (request, reply) => {
    mustBeProved(viewerOf(request), context);
    const name = fieldOf(request.params, 'name');
    const wanted = fieldOf(request.body, 'do');
    const why = because(request, `change "${name}"`);
    switch (wanted) {
      case 'role':
        await changeRole(ledger, name, readRole(fieldOf(request.body, 'role')), why);
        return reply.redirect('/people', 303);
      case 'disable':
        await disablePerson(ledger, name, why);
        return reply.redirect('/people', 303);
      case 'log-out':
        await endOtherSessions(ledger, name, undefined, why);
        return reply.redirect('/people', 303);
      case 'enable':
      case 'link': {
        const { token, link } = newLink(clock.now());
        if (wanted === 'enable') await enablePerson(ledger, name, why);
        await inviteAgain(ledger, name, link, why);
        return show(request, reply, context, { name, token });
      }
      default:
        throw new PipelineError('USAGE', `change "${name}"`, 'the form names no change');
    }
  });
}

function because(request: FastifyRequest, action: string) {
  return { actor: actorOf(viewerOf(request)), reason: reasonFrom(request.body, action) };
}

function readRole(text: string): PersonRole {
  if (Object.hasOwn(PERSON_ROLES, text)) return text as PersonRole;
  throw new PipelineError(
    'USAGE',
    `give the role "${text}"`,
    `it must be one of ${Object.keys(PERSON_ROLES).join(', ')}`,
  );
}

const ROLE_CHOICES = Object.keys(PERSON_ROLES).map((value) => ({ value, label: value }));

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  context: WebContext,
  invited?: { name: string; token: string },
): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const people = await listPeople(context.app.ledger);
  const link = invited && `${addressOf(context, request)}/set-up/${invited.token}`;
  return sendPage(
    reply,
    <Page title="Users" viewer={viewer} path="/people">
      {invited && (
        <Notice kind="good" title={`Send this link to ${invited.name}`}>
          <p>It works once, within a day, and is shown only now.</p>
          <p>
            <code class="wrap">{link}</code>
          </p>
        </Notice>
      )}
      <Section title="Users of the dashboard">
        <Table
          label="Users"
          rows={people}
          empty="None yet."
          columns={[
            { title: 'Name', place: 'name', cell: (person) => person.name },
            { title: 'Role', cell: (person) => person.role },
            { title: 'State', cell: (person) => stateOf(person) },
            {
              title: 'Last seen',
              cell: (person) => (person.seenAt ? <Moment at={person.seenAt} /> : sayUnseen(person)),
            },
            { title: 'Change', cell: (person) => <Change viewer={viewer} person={person} /> },
          ]}
        />
      </Section>
      <Section title="Invite a user">
        <form method="post" action="/people">
          <Token viewer={viewer} />
          <TextField name="name" label="Name" hint="Lowercase letters, such as bob or bob.hill." isRequired />
          <ChoiceField name="role" label="Role" choices={ROLE_CHOICES} value="operator" />
          <TextField name="reason" label="Reason" hint="For the audit trail." isRequired />
          <button type="submit" class="main">
            Make a link
          </button>
        </form>
        <h3>Rights of each role</h3>
        <Facts facts={Object.entries(PERSON_ROLES)} />
      </Section>
    </Page>,
  );
}

function stateOf({ disabledAt, hasPassword, waitingPlaces, subject }: Person): string {
  if (disabledAt) return 'disabled';
  if (waitingPlaces > 0) return `active; ${counted(waitingPlaces, 'place')} locked after wrong passwords`;
  return hasPassword || subject ? 'active' : 'invited';
}

function Change({ viewer, person }: { viewer: Viewer; person: Person }) {
  const { name } = person;
  const verbs = person.disabledAt
    ? [{ value: 'enable', label: 'Enable again' }]
    : [
        { value: 'link', label: 'New link to set a password' },
        { value: 'role', label: 'Change role' },
        { value: 'log-out', label: 'Log out everywhere' },
        { value: 'disable', label: 'Disable' },
      ];
  const id = `change-${name}`;
  return (
    <details>
      <summary>Change {name}</summary>
      <form method="post" action={`/people/${name}`}>
        <Token viewer={viewer} />
        <label for={`${id}-do`}>What</label>
        <select id={`${id}-do`} name="do">
          {verbs.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {!person.disabledAt && (
          <>
            <label for={`${id}-role`}>New role, if it changes</label>
            <select id={`${id}-role`} name="role">
              {Object.keys(PERSON_ROLES).map((role) => (
                <option key={role} value={role} selected={role === person.role}>
                  {role}
                </option>
              ))}
            </select>
          </>
        )}
        <label for={`${id}-reason`}>Reason</label>
        <input id={`${id}-reason`} name="reason" required />
        <button type="submit">Change</button>
      </form>
    </details>
  );
}
