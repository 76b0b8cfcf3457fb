import type { FastifyInstance } from 'fastify';
import { isTimeZone } from '../../../calendar/zone-time.ts';
import { SHORTEST_PASSWORD } from '../../../crypto/password.ts';
import { type PersonSettings, saveSettings } from '../../../ledger/person/people.ts';
import { fieldOf } from '../../access/read-form.ts';
import type { Viewer } from '../../access/viewer.ts';
import { Section } from '../../parts/blocks.tsx';
import { ChoiceField, TextField } from '../../parts/form.tsx';
import { Token } from '../../parts/page.tsx';
import { type WebContext, viewerOf } from '../../web-context.ts';

/** The choices of each setting; the empty one is as for all. */
const CHOICES = {
  theme: { '': 'As the system', light: 'Light', dark: 'Dark' },
  density: { '': 'Comfortable', compact: 'Compact' },
  start: {
    '': 'As for your role',
    '/': 'Today',
    '/queue': 'Queue',
    '/approvals': 'Approvals',
    '/files': 'Files',
    '/report': 'Reports',
    '/payments': 'Payments',
  },
} as const;

/** Serves `/me/settings`: how pages look for a user. What is not among the choices counts as not chosen. */
export function settingsRoute(server: FastifyInstance, { app }: WebContext): void {
  server.post('/me/settings', async ({ body, viewer }, reply) => {
    const timeZone = fieldOf(body, 'timeZone');
    const chosen = Object.entries(CHOICES).map(([name, choices]) => {
      const value = fieldOf(body, name);
      return [name, Object.hasOwn(choices, value) ? value : ''];
    });
    const all = [['timeZone', isTimeZone(timeZone) ? timeZone : ''], ...chosen].filter(([, value]) => value !== '');
    await saveSettings(app.ledger, viewerOf({ viewer }).person, Object.fromEntries(all) as PersonSettings);
    return reply.redirect('/me', 303);
  });
}

/** Shows how pages look for a user, and lets them change it. */
export function MySettings({ viewer, shared }: { viewer: Viewer; shared: string }) {
  const { timeZone = '', theme = '', density = '', start = '' } = viewer.settings ?? {};
  const zones = [{ value: '', label: `As for all: ${shared}` }, ...ZONES.map((zone) => ({ value: zone, label: zone }))];
  return (
    <Section title="How pages look">
      <form method="post" action="/me/settings" class="inline">
        <Token viewer={viewer} />
        <ChoiceField name="timeZone" label="Time zone" choices={zones} value={timeZone} />
        <ChoiceField name="theme" label="Colors" choices={choicesOf(CHOICES.theme)} value={theme} />
        <ChoiceField name="density" label="Rows of tables" choices={choicesOf(CHOICES.density)} value={density} />
        <ChoiceField name="start" label="First page" choices={choicesOf(CHOICES.start)} value={start} />
        <button type="submit">Save</button>
      </form>
    </Section>
  );
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

function choicesOf(choices: Readonly<Record<string, string>>) {
  return Object.entries(choices).map(([value, label]) => ({ value, label }));
}

type PasswordProps = {
  readonly viewer: Viewer;
  readonly oldFault: string | undefined;
  readonly newFault: string | undefined;
};

/** Lets a user who has a password choose another one. */
export function NewPassword({ viewer, oldFault, newFault }: PasswordProps) {
  return (
    <Section title="Change your password">
      <form method="post" action="/me/password">
        <Token viewer={viewer} />
        <p class="hint">Your other browsers are logged out, and your API tokens are revoked.</p>
        <TextField
          name="old"
          type="password"
          label="Current password"
          fault={oldFault}
          autocomplete="current-password"
          isRequired
        />
        <TextField
          name="password"
          type="password"
          label="New password"
          hint={`At least ${SHORTEST_PASSWORD} characters.`}
          fault={newFault}
          autocomplete="new-password"
          minLength={SHORTEST_PASSWORD}
          isRequired
        />
        <TextField
          name="repeated"
          type="password"
          label="Repeat the new password"
          autocomplete="new-password"
          isRequired
        />
        <button type="submit">Change password</button>
      </form>
    </Section>
  );
}
