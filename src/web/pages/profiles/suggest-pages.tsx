import type { ComponentChildren } from 'preact';
import type { Folder } from '../../../config/config.ts';
import { askedBy, type Question, questionsOf, reasonsOf } from '../../../csv/suggest/questions.ts';
import { counted } from '../../../kernel/counted.ts';
import { type Viewer, viewerMay } from '../../access/viewer.ts';
import { Facts, Notice, Section } from '../../parts/blocks.tsx';
import { ChoiceField, FileField, TextField } from '../../parts/form.tsx';
import { Page, Token } from '../../parts/page.tsx';
import { folderChoices } from '../drop.tsx';
import type { KeptSample } from './kept-samples.ts';
import { PreviewParts, type ShownPreview } from './preview.tsx';
import { markOf, QuestionField, ReasonParts, STEPS } from './question-form.tsx';

/** Address of the first page; the others lie below. Nothing of a sample is in any address. */
export const START = '/new-profile';

type Step = Question['step'];

const CRUMBS = [{ path: '/profiles', label: 'Profiles' }];

/** Asks for a file and its folder. */
export function StartPage({
  viewer,
  folders,
  kept,
  fault,
}: {
  viewer: Viewer;
  folders: readonly Folder[];
  kept: KeptSample | undefined;
  fault?: string | undefined;
}) {
  return (
    <Page title="New profile from a file" viewer={viewer} path="/profiles" crumbs={CRUMBS}>
      {fault && <Notice kind="bad" title={fault} />}
      {kept && (
        <Section title={`Go on with ${kept.name}`}>
          <p>
            <a href={`${START}/questions`}>To its questions</a>
          </p>
          <ForgetForm viewer={viewer} />
        </Section>
      )}
      <Section title="Choose a file">
        <p>
          paydrop looks at a file of your accounting system, asks what the file does not show, and makes a profile.
          Nothing is taken or sent. The file stays in memory for 15 minutes after your last step, and is never stored.
        </p>
        <form method="post" action={START} enctype="multipart/form-data">
          <Token viewer={viewer} />
          <ChoiceField
            name="folder"
            label="Account and operation"
            hint="Files like this one will be dropped there."
            choices={folderChoices(folders)}
          />
          <FileField
            name="sample"
            label="File of the accounting system"
            hint="Text or Excel workbook (.xlsx), unchanged, as exported; at most 2 MB. An export of some days is enough if it has all kinds of rows."
          />
          <button type="submit" class="main">
            Look at it
          </button>
        </form>
      </Section>
    </Page>
  );
}

function ForgetForm({ viewer }: { viewer: Viewer }) {
  return (
    <form method="post" action={`${START}/forget`}>
      <Token viewer={viewer} />
      <button type="submit" class="plain">
        Forget the file
      </button>
    </form>
  );
}

type OfSample = { readonly viewer: Viewer; readonly kept: KeptSample };

/** @param says what the file is; it holds a number of rows, so the page on which a person types that number has none */
function SamplePage({
  viewer,
  kept,
  title,
  says,
  children,
}: OfSample & { title: string; says?: string | undefined; children: ComponentChildren }) {
  return (
    <Page title={title} viewer={viewer} path="/profiles" crumbs={CRUMBS}>
      <Section title={kept.name}>
        <Facts
          facts={[
            ['Folder', kept.folder.id],
            ['Account and operation', `${kept.folder.account}: ${kept.folder.operation}`],
            ['What it is', says],
          ]}
        />
        <StepLinks kept={kept} />
        <ForgetForm viewer={viewer} />
      </Section>
      {children}
    </Page>
  );
}

function StepLinks({ kept: { proposal, answers } }: { kept: KeptSample }) {
  const open = questionsOf(proposal, answers);
  const asked = new Set(askedBy(proposal, answers).map(({ step }) => step));
  return (
    <nav class="steps" aria-label="Steps">
      <ol>
        {stepsOf(asked).map((step) => {
          const count = open.filter((question) => question.step === step).length;
          return (
            <li key={step}>
              <a href={`${START}/questions?step=${step}`}>{STEPS[step]}</a>{' '}
              <span class="soft">{count > 0 ? `${count} open` : 'answered'}</span>
            </li>
          );
        })}
        <li>{open.length > 0 ? 'Preview' : <a href={`${START}/preview`}>Preview</a>}</li>
        <li>Confirmation</li>
      </ol>
    </nav>
  );
}

function stepsOf(asked: ReadonlySet<Step>): Step[] {
  return (Object.keys(STEPS) as Step[]).filter((step) => asked.has(step));
}

/** Returns the questions of the wanted step, or else of the first step with an open one; none when all are answered. */
export function questionsOfStep({ proposal, answers }: KeptSample, wanted: string): readonly Question[] {
  const asked = askedBy(proposal, answers);
  const open = new Set(questionsOf(proposal, answers).map(({ step }) => step));
  const own = asked.filter(({ step }) => step === wanted);
  return own.length > 0 ? own : asked.filter(({ step }) => step === stepsOf(open)[0]);
}

/** Asks the questions of one step. Questions that are answered can be answered otherwise. */
export function QuestionsPage({
  viewer,
  kept,
  questions,
  faults,
  isChanged,
}: OfSample & { questions: readonly Question[]; faults: readonly string[]; isChanged: boolean }) {
  const step = questions[0]?.step;
  const open = questionsOf(kept.proposal, kept.answers).filter((question) => question.step === step).length;
  const says = reasonsOf(kept.proposal, kept.answers)?.form;
  return (
    <SamplePage viewer={viewer} kept={kept} title={step ? STEPS[step] : 'Questions'} says={says}>
      {isChanged && <Notice kind="warn" title="The questions have changed since you opened the page. Look again." />}
      {faults.map((fault) => (
        <Notice key={fault} kind="bad" title={`No profile can be made: ${fault}`} />
      ))}
      {step === 'columns' && <ReasonParts reasons={reasonsOf(kept.proposal, kept.answers)} />}
      {step && (
        <Section title={open > 0 ? `${counted(open, 'question')} open` : 'All answered'}>
          <form method="post" action={`${START}/questions`}>
            <Token viewer={viewer} />
            <input type="hidden" name="step" value={step} />
            <input type="hidden" name="mark" value={markOf(questions)} />
            {questions.map((question, place) => (
              <QuestionField
                key={question.id}
                question={question}
                place={place}
                {...(Object.hasOwn(kept.answers, question.id) && { answer: kept.answers[question.id]! })}
              />
            ))}
            <button type="submit" class="main">
              All looked at, go on
            </button>
          </form>
        </Section>
      )}
    </SamplePage>
  );
}

/** Shows what the made profile does. The way on stands at the end. */
export function MadePage({ viewer, kept, preview }: OfSample & { preview: ShownPreview }) {
  return (
    <SamplePage viewer={viewer} kept={kept} title="Preview">
      <PreviewParts preview={preview} />
      <p class="hint">
        If something is not right, choose its step above and answer otherwise. Nothing is recorded yet.
      </p>
      <p>
        <a class="button main" href={`${START}/confirm`}>
          I have looked at all of it
        </a>
      </p>
    </SamplePage>
  );
}

/** What a person has typed before. */
export type Typed = Readonly<Record<'name' | 'rows' | 'total' | 'folder' | 'reason', string>>;

/** Asks for the figures of the accounting system. Those of paydrop are not on the page. */
export function ConfirmPage({
  viewer,
  kept,
  mark,
  typed,
  fault,
}: OfSample & { mark: string; typed: Typed; fault?: string | undefined }) {
  const { profile } = kept.folder;
  const mayConfirm = isConfirmedHere(viewer, kept);
  return (
    <SamplePage viewer={viewer} kept={kept} title="Confirmation">
      {fault && <Notice kind="bad" title={fault} />}
      {!mayConfirm && <Notice kind="info" title={draftOnly(kept)} />}
      <Section title={mayConfirm ? 'Compare with the accounting system' : 'Record a draft'}>
        <form method="post" action={`${START}/confirm`}>
          <Token viewer={viewer} />
          <input type="hidden" name="mark" value={mark} />
          {profile === undefined && (
            <TextField
              name="name"
              label="Name of the profile"
              hint="Lower-case letters, digits and hyphens."
              value={typed.name}
              isRequired
            />
          )}
          {mayConfirm && <FigureFields typed={typed} folder={kept.folder} />}
          <TextField
            name="reason"
            label="Reason"
            hint="For the audit trail. No card or account numbers."
            value={typed.reason}
            isRequired
          />
          <button type="submit" class="main">
            {mayConfirm ? `Confirm ${profile}` : 'Record the draft'}
          </button>
        </form>
      </Section>
    </SamplePage>
  );
}

function FigureFields({ typed, folder }: { typed: Typed; folder: Folder }) {
  return (
    <>
      <TextField
        name="rows"
        label="Number of payments in the accounting system"
        hint="Look there, not into the file."
        value={typed.rows}
        autocomplete="off"
        isRequired
      />
      <TextField
        name="total"
        label="Their total in the accounting system"
        hint="With a point before the cents."
        value={typed.total}
        autocomplete="off"
        isRequired
      />
      <TextField
        name="folder"
        label={`Type the name of the folder: ${folder.id}`}
        hint="The profile will read the files of this folder."
        value={typed.folder}
        autocomplete="off"
        isRequired
      />
    </>
  );
}

/** Returns whether this person can confirm the profile now; otherwise it becomes a draft. */
export function isConfirmedHere(viewer: Viewer, { folder }: KeptSample): boolean {
  return folder.profile !== undefined && viewerMay(viewer, 'confirm-profile');
}

/** Says why a profile becomes only a draft, and what must follow. */
export function draftOnly({ folder: { id, profile } }: KeptSample): string {
  return profile === undefined
    ? `Folder ${id} names no profile yet. Put "profile" with the name into it in paydrop.yaml; then it can be confirmed.`
    : 'A draft reads nothing. An approver or administrator confirms it with the same file and its figures.';
}
