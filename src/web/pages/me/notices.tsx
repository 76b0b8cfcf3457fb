import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ALARM_KINDS, LISTED_ALARM_KINDS } from '../../../../schemas/alarms.ts';
import type { App } from '../../../app.ts';
import { MailAddress } from '../../../../schemas/config.ts';
import { newLink } from '../../../actions/new-link.ts';
import { sharedZone } from '../../../calendar/zone-time.ts';
import type { Settings } from '../../../config/config.ts';
import { hashSecretToken } from '../../../crypto/secret-token.ts';
import { confirmMail, type NotifyRule, saveNotifyRule } from '../../../ledger/person/people.ts';
import { deliver } from '../../../notify/tell.ts';
import { fieldOf, fieldsOf } from '../../access/read-form.ts';
import { Refusal } from '../../access/refusal.ts';
import type { Viewer } from '../../access/viewer.ts';
import { Notice, Section } from '../../parts/blocks.tsx';
import { ChoiceField, FaultSummary, type FormFault, TextField } from '../../parts/form.tsx';
import { Page, Token } from '../../parts/page.tsx';
import { nameZone } from '../../parts/when.ts';
import { sendPage } from '../../send-page.ts';
import { addressOf, type WebContext, viewerOf } from '../../web-context.ts';

/** A user can have few mails sent to an address that is not theirs. */
const TRIES = { max: 10, timeWindow: 600_000 };

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** Shows `/me` again with what is wrong. */
type ShowFault = (request: FastifyRequest, reply: FastifyReply, fault: FormFault) => Promise<FastifyReply>;

/** Serves what a user is told by mail, and the link that confirms their address. */
export function notifyRoutes(server: FastifyInstance, context: WebContext, showFault: ShowFault): void {
  const { app } = context;
  server.post('/me/notify', { config: { rateLimit: TRIES } }, async (request, reply) => {
    const viewer = viewerOf(request);
    const { rule, token } = ruleOf(request, viewer, app);
    if (rule && !MailAddress.safeParse(rule.mail).success)
      return showFault(request, reply.code(400), { says: 'This is not a mail address.', field: 'mail' });
    const fault =
      rule &&
      token &&
      (await sendLink(app, { to: rule.mail, link: `${addressOf(context, request)}/me/notify/${token}` }));
    if (fault) return showFault(request, reply.code(502), { says: `The mail was not sent: ${fault}.`, field: 'mail' });
    await saveNotifyRule(app.ledger, viewer.person, rule);
    return reply.redirect('/me', 303);
  });

  // Mail programs open links, so that the address is confirmed by a button.
  server.get('/me/notify/:token', async (request, reply) => {
    const viewer = viewerOf(request);
    return sendPage(
      reply,
      <Page title="Confirm your mail address" viewer={viewer} path="/me" crumbs={CRUMBS}>
        <Section title={viewer.settings?.notify?.mail ?? 'No address is to be confirmed'}>
          <form method="post" action={`/me/notify/${encodeURIComponent(fieldOf(request.params, 'token'))}`}>
            <Token viewer={viewer} />
            <p>paydrop then sends what you chose to this address.</p>
            <button type="submit" class="main">
              Confirm this address
            </button>
          </form>
        </Section>
      </Page>,
    );
  });

  server.post('/me/notify/:token', async (request, reply) => {
    const tokenHash = hashOf(fieldOf(request.params, 'token'));
    if (!(await confirmMail(app.ledger, { name: viewerOf(request).person, tokenHash })))
      throw new Refusal('NOT_FOUND', WORKS_NO_MORE);
    return reply.redirect('/me', 303);
  });
}

const WORKS_NO_MORE =
  'This link was already used, has expired, or was sent to another user. Your account shows which address gets mails.';

const CRUMBS = [{ path: '/me', label: 'Your account' }];

function hashOf(token: string): string {
  return hashSecretToken(token).toString('hex');
}

/** Returns what the user asks for, and the token of a link when the address is new; no rule without an address. */
function ruleOf({ body }: FastifyRequest, { settings }: Viewer, app: App): { rule?: NotifyRule; token?: string } {
  const mail = fieldOf(body, 'mail');
  if (mail === '') return {};
  const [kinds, accounts, digest] = [fieldsOf(body, 'kinds'), fieldsOf(body, 'accounts'), fieldOf(body, 'digest')];
  const rule = {
    mail,
    kinds: LISTED_ALARM_KINDS.filter((kind) => kinds.includes(kind)),
    accounts: [...app.settings.accounts.keys()].filter((account) => accounts.includes(account)),
    ...(HOURS.includes(digest) && { digest }),
  };
  if (settings?.notify?.mail === mail && settings.notify.confirm === undefined) return { rule };
  const { token, link } = newLink(app.clock.now());
  const confirm = { tokenHash: link.tokenHash.toString('hex'), expiresAt: link.expiresAt.toISOString() };
  return { rule: { ...rule, confirm }, token };
}

/** @returns why it could not be sent; undefined on success */
async function sendLink({ settings, clock }: App, { to, link }: { to: string; link: string }) {
  const server = mailServer(settings);
  if (!server) return 'no mail server is set up';
  const text = `Open this link within a day, log in and confirm that paydrop may send mails here:\n\n${link}\n\nIf you did not ask for it, do nothing.`;
  return deliver({ ...server, to: [to] }, { title: '[paydrop] Confirm this address', text, json: {} }, clock);
}

function mailServer({ alarms }: Settings) {
  return alarms.find((target) => target.by === 'mail');
}

type SectionsProps = {
  readonly viewer: Viewer;
  readonly settings: Settings;
  readonly fault: FormFault | undefined;
};

/** Shows how paydrop reaches this user: in this browser, and by mail where a mail server is set up. */
export function NotifySections({ viewer, settings, fault }: SectionsProps) {
  return (
    <>
      <Section title="In this browser">
        <p class="hint">
          The title of every page begins with the number of things that need you. This browser can also show a notice
          when that number grows, while a page of paydrop is open. The notice has no name and no money.
        </p>
        <p>
          <button type="button" id="notify" hidden>
            Show notices
          </button>
          <noscript>The browser needs scripts for it.</noscript>
        </p>
      </Section>
      <Section title="Mails to you">
        {mailServer(settings) ? (
          <Mails viewer={viewer} settings={settings} fault={fault} />
        ) : (
          <p class="empty">No mail server is set up. An administrator adds one to the configuration, under alarms.</p>
        )}
      </Section>
    </>
  );
}

function Mails({ viewer, settings, fault }: SectionsProps) {
  const rule = viewer.settings?.notify;
  const accounts = [...settings.accounts.keys()];
  const times = [{ value: '', label: 'None' }, ...HOURS.map((hour) => ({ value: hour, label: hour }))];
  return (
    <form method="post" action="/me/notify">
      <Token viewer={viewer} />
      <FaultSummary faults={fault ? [fault] : []} />
      {rule?.confirm && (
        <Notice kind="warn" title={`A mail with a link was sent to ${rule.mail}`}>
          <p>Nothing else is sent before you open the link and confirm the address. It works for a day.</p>
        </Notice>
      )}
      <TextField
        name="mail"
        type="email"
        label="Mail address"
        hint="Leave it empty for no mails. A new address gets a link first."
        value={rule?.mail}
        fault={fault?.says}
        autocomplete="email"
      />
      <Boxes
        name="kinds"
        legend="Tell me when"
        choices={LISTED_ALARM_KINDS.map((kind) => [kind, ALARM_KINDS[kind].means])}
        chosen={rule?.kinds ?? []}
      />
      {accounts.length > 1 && (
        <Boxes
          name="accounts"
          legend="Only of these accounts; none for all"
          choices={accounts.map((account) => [account, account])}
          chosen={rule?.accounts ?? []}
        />
      )}
      <ChoiceField
        name="digest"
        label="Daily mail"
        hint={`The day before, and what needs attention. Times: ${nameZone(sharedZone(settings))}.`}
        choices={times}
        value={rule?.digest}
      />
      <button type="submit">Save mails</button>
    </form>
  );
}

type BoxesProps = {
  readonly name: string;
  readonly legend: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly chosen: readonly string[];
};

function Boxes({ name, legend, choices, chosen }: BoxesProps) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {choices.map(([value, label]) => (
        <label key={value} class="check" for={`${name}-${value}`}>
          <input id={`${name}-${value}`} type="checkbox" name={name} value={value} checked={chosen.includes(value)} />{' '}
          {label}
        </label>
      ))}
    </fieldset>
  );
}
