import type { ComponentChildren } from 'preact';
import { assetAt } from '../assets.ts';
import { ACTIONS } from '../../../schemas/actions.ts';
import { holdsCardNumber, maskText } from '../../kernel/mask.ts';
import { type Viewer, viewerMay } from '../access/viewer.ts';
import type { Ask, ActionReport, Filled, HandledAction, Next, Plan, Subject } from '../../actions/action.ts';
import { isWarning, linkOf, placeOf } from '../actions/find-subject.ts';
import { Notice, Section } from './blocks.tsx';
import { DoForm, ListingTable, PickForm, PlanView, type Proof } from './action-forms.tsx';
import { Page } from './page.tsx';
import { Words } from './steps.tsx';
import { said } from './words.tsx';

/** What every page of an action needs. */
type About = {
  readonly viewer: Viewer;
  readonly action: HandledAction;
  /** Address of the page itself, without a query. */
  readonly path: string;
  readonly subject: Subject;
  readonly picks: readonly Ask[];
  readonly asks: readonly Ask[];
  readonly filled: Filled;
};

/** Shows what would happen, and the form that does it. */
export function PlanPage({
  plan,
  bind,
  isChanged,
  reason,
  fault,
  proof,
  ...about
}: About & {
  plan: Plan;
  bind: string;
  isChanged: boolean;
  reason: string;
  fault: string | undefined;
  proof?: Proof | undefined;
}) {
  const { picks, asks } = about;
  const form = { ...about, filled: shown(about.filled) };
  const isBarred = plan.barred !== undefined;
  return (
    <ActionPage {...about}>
      {isChanged && (
        <Notice kind="warn" title="This has changed since you opened it">
          <p>Nothing was done. Read it again before you continue.</p>
        </Notice>
      )}
      {plan.isProposal && (
        <Notice kind="info" title="Another person must confirm">
          <p>You only propose it. Nothing happens until then.</p>
        </Notice>
      )}
      {isBarred && <Notice kind="bad" title="This cannot be done" />}
      <PlanView plan={plan} />
      {!isBarred && (
        <DoForm {...form} asks={asks} plan={plan} bind={bind} reason={reason} fault={fault} proof={proof} />
      )}
      {picks.length > 0 && !wantsFile(picks) && <PickForm {...form} title={OTHERWISE} asks={picks} />}
      {isBarred && <BackTo subject={about.subject} />}
      <KeepFile picks={picks} />
    </ActionPage>
  );
}

const OTHERWISE = 'Other options';

/** Shows what must be chosen before there is a plan. */
export function PicksPage({ fault, ...about }: About & { fault?: string }) {
  return (
    <ActionPage {...about}>
      <PickForm {...about} isMain title="Choose one" asks={about.picks} filled={shown(about.filled)} fault={fault} />
      <KeepFile picks={about.picks} />
    </ActionPage>
  );
}

/** Shows why the current state does not allow it. */
export function WhyNotPage({ why, ...about }: About & { why: string }) {
  const { picks, subject } = about;
  return (
    <ActionPage {...about}>
      <Notice kind="bad" title="This cannot be done">
        <Words text={why} />
      </Notice>
      {picks.length > 0 && <PickForm {...about} title={OTHERWISE} asks={picks} filled={shown(about.filled)} />}
      <BackTo subject={subject} />
      <KeepFile picks={picks} />
    </ActionPage>
  );
}

/** Shows what was done, and where the user can go next. */
export function DonePage({ done, ...about }: About & { done: ActionReport }) {
  const { says, details = [], listing, next = [] } = done;
  return (
    <ActionPage {...about}>
      <Notice kind={isWarning(done) ? 'warn' : 'good'} title={says}>
        {details.map((sentence) => (
          <p key={sentence}>{said(sentence)}</p>
        ))}
      </Notice>
      {listing && (
        <Section title="What was found">
          <ListingTable listing={listing} />
        </Section>
      )}
      {next.length > 0 && (
        <ul>
          {next.map((one) => (
            <li key={linkOf(one).path}>
              <NextLink next={one} viewer={about.viewer} />
            </li>
          ))}
        </ul>
      )}
      <BackTo subject={about.subject} />
    </ActionPage>
  );
}

/** Names an action that the viewer may not take, without a link. */
function NextLink({ next, viewer }: { next: Next; viewer: Viewer }) {
  const { path, label, action } = linkOf(next);
  const isOpen = action === undefined || viewerMay(viewer, action);
  return isOpen ? <a href={path}>{label}</a> : <>For another person: “{label}”</>;
}

function ActionPage({ action, viewer, path, subject, children }: About & { children: ComponentChildren }) {
  const { title, crumbs } = placeOf(subject);
  return (
    <Page title={`${ACTIONS[action].label}: ${title}`} viewer={viewer} path={path} crumbs={crumbs}>
      {children}
    </Page>
  );
}

function BackTo({ subject }: { subject: Subject }) {
  const { title, path } = placeOf(subject);
  return (
    <p>
      <a href={path}>Back to {title}</a>
    </p>
  );
}

/** Loads the script that carries a chosen file to the next page, which would otherwise forget it. */
function KeepFile({ picks }: { picks: readonly Ask[] }) {
  return wantsFile(picks) ? <script src={assetAt('keep-file.js')} type="module" /> : null;
}

function wantsFile(asks: readonly Ask[]): boolean {
  return asks.some(({ kind }) => kind === 'file');
}

/** Masks a card number that was pasted by mistake. */
function shown(filled: Filled): Filled {
  return Object.fromEntries(
    Object.entries(filled).map(([name, value]) => [name, holdsCardNumber(value) ? maskText(value) : value]),
  );
}
