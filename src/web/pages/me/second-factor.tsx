import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  findStep,
  hashRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  openTotpSecret,
  toBase32,
} from '../../../crypto/totp.ts';
import {
  beginFactor,
  confirmFactor,
  endFactor,
  readFactor,
  type SecondFactor,
} from '../../../ledger/person/second-factor.ts';
import { fieldOf } from '../../access/read-form.ts';
import { mustBeProved } from '../../access/step-up.ts';
import { actorOf, type Viewer } from '../../access/viewer.ts';
import { Notice, Section } from '../../parts/blocks.tsx';
import { TextField } from '../../parts/form.tsx';
import { Page, Token } from '../../parts/page.tsx';
import { Count } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';

/** Serves `/me/second-factor`: a user sets up the codes of an app, or ends them. */
export function secondFactorPages(server: FastifyInstance, context: WebContext): void {
  const { ledger, keys, clock } = context.app;
  server.get('/me/second-factor', async (request, reply) => show(context, request, reply));

  server.post('/me/second-factor/begin', async (request, reply) => {
    const viewer = viewerOf(request);
    mustBeProved(viewer, context);
    await beginFactor(ledger, viewer.person, newTotpSecret(keys.current, viewer.person));
    return reply.redirect('/me/second-factor', 303);
  });

  server.get('/me/second-factor/confirm', async (_, reply) => reply.redirect('/me/second-factor'));
  server.post('/me/second-factor/confirm', async (request, reply) => {
    const { person } = viewerOf(request);
    const code = fieldOf(request.body, 'code');
    const codes = newRecoveryCodes();
    const isRight = await confirmFactor(ledger, person, {
      findStep: (wrapped, after) => findStep(openTotpSecret(keys, person, wrapped), code, clock.now(), after),
      codeHashes: codes.map(hashRecoveryCode),
    });
    if (isRight) return show(context, request, reply, { codes });
    const fault = 'This code is wrong. Check the clock of the phone, and enter the next code.';
    return show(context, request, reply.code(400), { fault });
  });

  server.post('/me/second-factor/end', async (request, reply) => {
    const viewer = viewerOf(request);
    mustBeProved(viewer, context);
    await endFactor(ledger, viewer.person, { actor: actorOf(viewer), reason: 'ended by its user' });
    return reply.redirect('/me/second-factor', 303);
  });
}

type Said = { readonly fault?: string; readonly codes?: readonly string[] };

async function show(
  { app: { ledger, keys }, settings }: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { fault, codes }: Said = {},
): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const { person } = viewer;
  const factor = await readFactor(ledger, person);
  const isRequired = settings.secondFactor === 'required';
  return sendPage(
    reply,
    <Page title="Second factor" viewer={viewer} path="/me" crumbs={[{ path: '/me', label: 'Your account' }]}>
      {settings.secondFactor === 'off' && <Notice kind="info" title="Codes are not asked for on this dashboard" />}
      {codes && <RecoveryCodes codes={codes} />}
      {!factor && <Begin viewer={viewer} isRequired={isRequired} />}
      {factor && !factor.confirmedAt && (
        <Confirm viewer={viewer} secret={toBase32(openTotpSecret(keys, person, factor.wrapped))} fault={fault} />
      )}
      {factor?.confirmedAt && <End viewer={viewer} factor={factor} />}
    </Page>,
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <Notice kind="good" title="Your second factor is set up">
      <p>Keep these recovery codes: they are shown only once. Each logs you in once when you do not have the app.</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Begin({ viewer, isRequired }: { viewer: Viewer; isRequired: boolean }) {
  return (
    <Section title="Set up codes of an app">
      <p>
        {isRequired && 'This dashboard asks every user for a second factor. '}
        After the password, paydrop then asks for six digits from an app on your phone. You need an app for such codes.
      </p>
      <form method="post" action="/me/second-factor/begin">
        <Token viewer={viewer} />
        <button type="submit">Set up</button>
      </form>
    </Section>
  );
}

function Confirm({ viewer, secret, fault }: { viewer: Viewer; secret: string; fault: string | undefined }) {
  const address = `otpauth://totp/paydrop:${viewer.person}?secret=${secret}&issuer=paydrop`;
  return (
    <Section title="Enter the key in the app">
      <p>
        Key: <code class="wrap">{secret.match(/.{4}/g)!.join(' ')}</code>
      </p>
      <p>
        On the phone itself, <a href={address}>open it in the app</a>.
      </p>
      <form method="post" action="/me/second-factor/confirm">
        <Token viewer={viewer} />
        <TextField
          name="code"
          label="Code that the app shows now"
          fault={fault}
          autocomplete="one-time-code"
          isRequired
        />
        <button type="submit">Confirm</button>
      </form>
    </Section>
  );
}

function End({ viewer, factor: { codes } }: { viewer: Viewer; factor: SecondFactor }) {
  return (
    <Section title="Codes of your app are asked for">
      <p>
        After your password, paydrop asks for a code. <Count of={codes} noun="recovery code" /> left; for new ones, end
        it and set it up again.
      </p>
      <form method="post" action="/me/second-factor/end">
        <Token viewer={viewer} />
        <button type="submit">End the second factor</button>
      </form>
    </Section>
  );
}
