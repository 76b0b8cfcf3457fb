import { ACTIONS } from '../../../schemas/actions.ts';
import { commandOf, type NamedPart, type Step, type VIEW_COMMANDS } from '../../../schemas/steps.ts';
import { type Viewer, viewerMay } from '../access/viewer.ts';
import { HostCommand, QUOTED_COMMAND, said } from './words.tsx';
import { pathWith, SUBJECT_PATHS } from '../actions/find-subject.ts';

/**
 * Shows what to do next, with links to its actions and pages. An action that the viewer may not take is only named, and
 * the command for what only the host can do is folded away.
 */
export function StepLine({ step, viewer }: { step: Step; viewer: Viewer }) {
  return (
    <>
      {step.map((part, index) =>
        typeof part === 'string' ? (
          <Words key={index} text={part} />
        ) : (
          <Named key={index} part={part} viewer={viewer} />
        ),
      )}
    </>
  );
}

/** Shows a text of a table, such as the remedy of an error, in which commands stand in quotes. */
export function Words({ text }: { text: string }) {
  return (
    <>
      {text
        .split(QUOTED_COMMAND)
        .map((words, index) => (index % 2 === 0 ? said(words) : <HostCommand key={index} command={words} />))}
    </>
  );
}

function Named({ part, viewer }: { part: NamedPart; viewer: Viewer }) {
  if ('action' in part) {
    const { label, to } = ACTIONS[part.action];
    const path = viewerMay(viewer, part.action) ? pathWith(SUBJECT_PATHS[to], part) : undefined;
    return path === undefined ? <>“{label}”</> : <a href={`${path}/do/${part.action}`}>{label}</a>;
  }
  const view = 'see' in part ? VIEWS[part.see] : undefined;
  const path = view && pathWith(view.pattern, part);
  return path === undefined ? <HostCommand command={commandOf(part)} /> : <a href={path}>{view!.label}</a>;
}

/** Where each view is on the dashboard, and its name within a sentence. */
const VIEWS: Readonly<Record<keyof typeof VIEW_COMMANDS, { readonly pattern: string; readonly label: string }>> = {
  show: { pattern: '/files/:fileId', label: 'the page of the file' },
  why: { pattern: '/files/:fileId/batches/:batchNo', label: 'the page of the batch' },
  doubt: { pattern: '/files/:fileId/batches/:batchNo/resolve', label: 'The guide for the batch' },
  comparison: {
    pattern: '/files/:fileId/batches/:batchNo#s-what-was-sent-and-what-was-returned',
    label: 'what was sent and what came back',
  },
  'in-doubt': { pattern: '/queue?list=doubt', label: 'the batches in doubt' },
  forgotten: { pattern: '/accounts/:name#s-calls-missing-from-the-ledger', label: 'the forgotten calls' },
  schedules: { pattern: '/schedules', label: 'The list of schedules' },
  left: { pattern: '/accounts', label: 'what is left over of former accounts' },
  status: { pattern: '/', label: 'the page “Today”' },
};
