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
  /** Address of the list from which the user came. */
  readonly from?: string | undefined;
};

/** Shows what would happen, and the form that does it. */
export function PlanPage({
  plan,
  bind,
  isChanged,
  shown = [],
  reason,
  fault,
  proof,
  ...about
}: About & {
  plan: Plan;
  bind: string;
  isChanged: boolean;
  /** Sentences of the plan that the user saw before. */
  shown?: readonly string[];
  reason: string;
  fault: string | undefined;
  proof?: Proof | undefined;
}) {
  const { picks, asks } = about;
  const form = { ...about, filled: masked(about.filled) };
  const isBarred = plan.barred !== undefined;
  return (
    <ActionPage {...about}>
      {isChanged && <ChangeNotice before={shown} now={plan.says} />}
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
      {isBarred ? <BackTo {...about} /> : about.from && <BackToList from={about.from} />}
      <KeepFile picks={picks} />
    </ActionPage>
  );
}

/** Says what differs from the plan that the user saw, as far as its sentences tell. */
function ChangeNotice({ before, now }: { before: readonly string[]; now: readonly string[] }) {
  const sentences = [
    ...before.filter((each) => !now.includes(each)).map((each) => `Before: ${each}`),
    ...(before.length === 0 ? [] : now.filter((each) => !before.includes(each)).map((each) => `Now: ${each}`)),
  ];
  return (
    <Notice kind="warn" title="This has changed since you opened it">
      <p>Nothing was done. Read it again before you continue.</p>
      {sentences.length > 0 && (
        <ul>
          {sentences.map((each) => (
            <li key={each}>{said(each)}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

const OTHERWISE = 'Other options';

/** Shows what must be chosen before there is a plan. */
export function PicksPage({ fault, ...about }: About & { fault?: string }) {
  return (
    <ActionPage {...about}>
      <PickForm {...about} isMain title="Choose one" asks={about.picks} filled={masked(about.filled)} fault={fault} />
      <KeepFile picks={about.picks} />
    </ActionPage>
  );
}

/** Shows why the current state does not allow it. */
export function WhyNotPage({ why, ...about }: About & { why: string }) {
  const { picks } = about;
  return (
    <ActionPage {...about}>
      <Notice kind="bad" title="This cannot be done">
        <Words text={why} />
      </Notice>
      {picks.length > 0 && <PickForm {...about} title={OTHERWISE} asks={picks} filled={masked(about.filled)} />}
      <BackTo {...about} />
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
      <BackTo {...about} />
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

function BackTo({ subject, from }: Pick<About, 'subject' | 'from'>) {
  const { title, path } = placeOf(subject);
  return (
    <p>
      {from && (
        <>
          <BackToList from={from} /> ·{' '}
        </>
      )}
      <a href={path}>Back to {title}</a>
    </p>
  );
}

/** Leads to where the user came from, such as a list with its filter and page. */
export function BackToList({ from }: { from: string }) {
  return <a href={from}>Back to where you were</a>;
}

/** Loads the script that carries a chosen file to the next page, which would otherwise forget it. */
function KeepFile({ picks }: { picks: readonly Ask[] }) {
  return wantsFile(picks) ? <script src={assetAt('keep-file.js')} type="module" /> : null;
}

function wantsFile(asks: readonly Ask[]): boolean {
  return asks.some(({ kind }) => kind === 'file');
}

/** Masks a card number that was pasted by mistake. */
function masked(filled: Filled): Filled {
  return Object.fromEntries(
    Object.entries(filled).map(([name, value]) => [name, holdsCardNumber(value) ? maskText(value) : value]),
  );
}
