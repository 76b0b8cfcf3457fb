import type { LateRuns } from '../../explain/late-runs.ts';
import { textTable } from '../print/table.ts';

/** Returns sections of `paydrop status`. */
export function lateRunLines({ lateRuns, missingFiles }: LateRuns): string[] {
  const runs = lateRuns.map((run) => [run.schedule, run.day, run.state, run.dueAt.toISOString(), run.says]);
  const files = missingFiles.map((missing) => [missing.folder, missing.account, missing.day, missing.by]);
  return [
    ...(runs.length > 0
      ? [`Late schedules\n${textTable(['Schedule', 'Day', 'State', 'Due', 'Why'], runs)}\n\n${RUN_HINT}`]
      : []),
    ...(files.length > 0
      ? [`Expected files that did not come\n${textTable(['Folder', 'Account', 'Day', 'By'], files)}\n\n${FILE_HINT}`]
      : []),
  ];
}

const RUN_HINT =
  '"paydrop schedule run NAME" makes today\'s run. What lies in the folders is taken by the next run in any case.';
const FILE_HINT = 'Ask the sender.';
