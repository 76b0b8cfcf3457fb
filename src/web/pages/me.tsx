import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changePassword } from '../../ledger/person/change-person.ts';
import { listApiTokens, addApiToken, type ApiToken, revokeApiToken } from '../../ledger/person/api-tokens.ts';
import { PERSON_ROLES, type ActionName, ACTIONS } from '../../../schemas/actions.ts';
import { hashPassword } from '../../crypto/password.ts';
import { hashSecretToken, newSecretToken } from '../../crypto/secret-token.ts';
import { readSessionToken } from '../access/cookies.ts';
import { findPasswordFault } from '../access/log-in.ts';
import { fieldOf, fieldsOf } from '../access/read-form.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { readCredentials } from '../../ledger/person/people.ts';
import { listSessions } from '../../ledger/person/sessions.ts';
import { NotifySections, notifyRoutes } from './me/notices.tsx';
import { MySettings, NewPassword, settingsRoute } from './me/settings.tsx';
import { secondFactorPages } from './me/second-factor.tsx';
import { sessionPages, Sessions } from './me/sessions.tsx';
import { sharedZone } from '../../calendar/zone-time.ts';
import { Facts, Notice, Section, Table } from '../parts/blocks.tsx';
import { type FormFault, TextField } from '../parts/form.tsx';
import { Page, Token } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { counted } from '../../kernel/counted.ts';
import { mustBeProved, proveByPassword } from '../access/step-up.ts';
import { maskText } from '../../kernel/mask.ts';
import { actorOf, type Viewer, viewerMay } from '../access/viewer.ts';
import type { HandledAction } from '../../actions/action.ts';
import { Moment } from '../parts/words.tsx';

type PageResult = {
  done?: string;
  oldFault?: string | undefined;
  newFault?: string | undefined;
  token?: MadeToken | TokenFault;
  notify?: FormFault;
};

/** Serves `/me`: the user's own account. */
export function mePage(server: FastifyInstance, context: WebContext): void {
  const show = (request: FastifyRequest, reply: FastifyReply, said?: PageResult) =>
    showMe(context, request, reply, said);
  endApiTokens(server, context);
  sessionPages(server, context);
  settingsRoute(server, context);
  notifyRoutes(server, context, (request, reply, notify) => show(request, reply, { notify }));
  secondFactorPages(server, context);

  server.get('/me', async (request, reply) => show(request, reply));
  // The results of these forms stand at their addresses, to which a browser returns after a proof or a log-in.
  for (const form of ['/me/tokens', '/me/password', '/me/notify'])
    server.get(form, async (_, reply) => reply.redirect('/me'));

  server.post('/me/tokens', async (request, reply) => {
    mustBeProved(viewerOf(request), context);
    const token = await makeApiToken(context, request);
    return show(request, 'says' in token ? reply.code(400) : reply, { token });
  });

  server.post('/me/password', async (request, reply) => {
    const { person } = viewerOf(request);
    const oldFault = await proveByPassword(context, request, fieldOf(request.body, 'old'));
    if (oldFault) return show(request, reply.code(400), { oldFault });
    const password = fieldOf(request.body, 'password');
    const newFault = findPasswordFault(password, { name: person, repeated: fieldOf(request.body, 'repeated') });
    if (newFault) return show(request, reply.code(400), { newFault });
    const keep = hashSecretToken(readSessionToken(request, context) ?? '');
    const tokens = await changePassword(context.app.ledger, person, await hashPassword(password), keep);
    const revoked = tokens > 0 ? ` ${counted(tokens, 'API token')} revoked: make new ones for your programs.` : '';
    return show(request, reply, { done: `Your password has changed. Your other browsers are logged out.${revoked}` });
  });
}

async function showMe(
  context: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { done, oldFault, newFault, token, notify }: PageResult = {},
): Promise<FastifyReply> {
  const { app, settings } = context;
  const viewer = viewerOf(request);
  const tokens = await listApiTokens(app.ledger, viewer.person);
  const asking = hashSecretToken(readSessionToken(request, context) ?? '');
  const hasPassword = (await readCredentials(app.ledger, viewer.person))?.password !== null;
  const sessions = await listSessions(app.ledger, { person: viewer.person, asking }, settings);
  return sendPage(
    reply,
    <Page title="Your account" viewer={viewer} path="/me">
      {done && <Notice kind="good" title={done} />}
      <Section title="You">
        <Facts
          facts={[
            ['Name', viewer.person],
            ['Role', `${viewer.role}: ${PERSON_ROLES[viewer.role]}`],
            hasPassword
              ? ['Second factor', <a href="/me/second-factor">Codes of an app</a>]
              : ['Log-in', `with ${settings.openid?.label ?? 'another service'}; you have no password here`],
          ]}
        />
      </Section>
      {hasPassword && <NewPassword viewer={viewer} oldFault={oldFault} newFault={newFault} />}
      <MySettings viewer={viewer} shared={sharedZone(app.settings)} />
      <NotifySections viewer={viewer} settings={app.settings} fault={notify} />
      <Sessions viewer={viewer} sessions={sessions} />
      <ApiTokens
        viewer={viewer}
        tokens={tokens}
        now={app.clock.now()}
        made={token && 'secret' in token ? token : undefined}
        fault={token && 'says' in token ? token : undefined}
      />
    </Page>,
  );
}

/** A token just created; its secret is shown only once. */
type MadeToken = { readonly name: string; readonly secret: string };

type TokenFault = { readonly at: 'name' | 'days' | 'actions'; readonly says: string; readonly form: unknown };

const LONGEST_DAYS = 365;
const DAY_MS = 86_400_000;

/** Permissions that a token can have; `check`, `drop` and `people` are not for programs. */
const OF_PROGRAMS = (Object.keys(ACTIONS) as ActionName[]).filter(
  (name): name is HandledAction | 'look' => name !== 'check' && name !== 'drop' && name !== 'people',
);

/** Creates the token requested on `/me`, with at most the user's current permissions. */
async function makeApiToken({ app }: WebContext, request: FastifyRequest): Promise<MadeToken | TokenFault> {
  const viewer = viewerOf(request);
  const form = request.body;
  const name = maskText(fieldOf(form, 'name'));
  if (name === '' || name.length > 60) return { at: 'name', says: 'Give it a name of at most 60 characters.', form };
  const days = fieldOf(form, 'days');
  if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > LONGEST_DAYS)
    return { at: 'days', says: `Use a whole number from 1 to ${LONGEST_DAYS}.`, form };
  const actions = actionsOf(viewer).filter((action) => fieldsOf(form, 'actions').includes(action));
  if (actions.length === 0) return { at: 'actions', says: 'Choose at least one permission.', form };
  const secret = newSecretToken();
  const expiresAt = new Date(app.clock.now().getTime() + Number(days) * DAY_MS);
  const token = { person: viewer.person, name, actions, tokenHash: hashSecretToken(secret), expiresAt };
  await addApiToken(app.ledger, token, { actor: actorOf(viewer), reason: `asked for a token named ${name}` });
  return { name, secret };
}

function endApiTokens(server: FastifyInstance, { app }: WebContext): void {
  server.post('/me/tokens/:tokenNo/revoke', async (request, reply) => {
    const viewer = viewerOf(request);
    const because = { actor: actorOf(viewer), reason: 'revoked by its person' };
    const tokenNo = /^[1-9]\d{0,14}$/.exec(fieldOf(request.params, 'tokenNo'))?.[0] ?? '0';
    await revokeApiToken(app.ledger, { tokenNo: Number(tokenNo), person: viewer.person }, because);
    return reply.redirect('/me', 303);
  });
}

type TokensProps = {
  readonly viewer: Viewer;
  readonly tokens: readonly ApiToken[];
  readonly now: Date;
  readonly made?: MadeToken | undefined;
  readonly fault?: TokenFault | undefined;
};

function ApiTokens({ viewer, tokens, now, made, fault }: TokensProps) {
  return (
    <>
      {made && (
        <Notice kind="good" title={`The token ${made.name}`}>
          <p>Copy it now: it is shown only once. Anyone who has it can act as you, within its permissions.</p>
          <p>
            <code class="wrap">{made.secret}</code>
          </p>
        </Notice>
      )}
      <Section title="Tokens for programs">
        <Table
          label="Tokens"
          rows={tokens}
          empty={
            <>
              None yet. A token lets a program use the <a href="/api">API</a> in your name.
            </>
          }
          columns={[
            { title: 'Name', place: 'name', cell: (token) => token.name },
            { title: 'Permissions', cell: (token) => token.actions.map(labelOf).join(', ') },
            { title: 'Last use', cell: (token) => (token.seenAt ? <Moment at={token.seenAt} /> : 'never') },
            { title: 'Ends', cell: (token) => <Moment at={token.expiresAt} /> },
            { title: 'State', cell: (token) => stateOf(token, now) },
            { title: 'Revoke', cell: (token) => <Revoke viewer={viewer} token={token} now={now} /> },
          ]}
        />
      </Section>
      <Section title="Make a token">
        <NewToken viewer={viewer} fault={fault} />
      </Section>
    </>
  );
}

function NewToken({ viewer, fault }: { viewer: Viewer; fault: TokenFault | undefined }) {
  const faultAt = (at: TokenFault['at']) => (fault?.at === at ? fault.says : undefined);
  const chosen = fault ? fieldsOf(fault.form, 'actions') : ['look'];
  return (
    <form method="post" action="/me/tokens">
      <Token viewer={viewer} />
      <TextField
        name="name"
        label="Name of the token"
        hint="The program that uses it, such as nightly report."
        value={fault && fieldOf(fault.form, 'name')}
        fault={faultAt('name')}
        isRequired
      />
      <TextField
        name="days"
        type="number"
        label="Days until it expires"
        hint={`At most ${LONGEST_DAYS}.`}
        value={fault ? fieldOf(fault.form, 'days') : '90'}
        fault={faultAt('days')}
        isRequired
      />
      <fieldset aria-describedby={faultAt('actions') && 'e-actions'}>
        <legend>Permissions</legend>
        <p class="hint">As few as the program needs. It never has more rights than your role at that moment.</p>
        {actionsOf(viewer).map((action) => (
          <label key={action} class="check" for={`action-${action}`}>
            <input
              id={`action-${action}`}
              type="checkbox"
              name="actions"
              value={action}
              checked={chosen.includes(action)}
            />{' '}
            {labelOf(action)}
          </label>
        ))}
        {faultAt('actions') && (
          <p class="fault" id="e-actions">
            {faultAt('actions')}
          </p>
        )}
      </fieldset>
      <button type="submit">Make the token</button>
    </form>
  );
}

function Revoke({ viewer, token, now }: { viewer: Viewer; token: ApiToken; now: Date }) {
  if (stateOf(token, now) !== 'works') return null;
  return (
    <form method="post" action={`/me/tokens/${token.tokenNo}/revoke`}>
      <Token viewer={viewer} />
      <button type="submit" class="plain" aria-label={`Revoke ${token.name}`}>
        Revoke
      </button>
    </form>
  );
}

function stateOf({ revokedAt, expiresAt }: ApiToken, now: Date): 'works' | 'revoked' | 'ended' {
  if (revokedAt) return 'revoked';
  return expiresAt > now ? 'works' : 'ended';
}

function actionsOf(viewer: Viewer): ActionName[] {
  return OF_PROGRAMS.filter((action) => viewerMay(viewer, action));
}

function labelOf(action: ActionName): string {
  return ACTIONS[action].label;
}
