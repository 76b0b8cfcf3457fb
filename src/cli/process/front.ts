import type { App } from '../../app.ts';
import { nextSendAt, type SendTimes } from '../../calendar/send-window.ts';
import type { Folder, Settings } from '../../config/config.ts';
import { describeTaking } from '../../explain/read-schedules.ts';
import { describeDropWait } from '../../explain/waiting-drops.ts';
import type { Scan, Waiting } from '../../files/scan-folder.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import { systemClock } from '../../kernel/clock.ts';
import { counted, spanWords } from '../../kernel/counted.ts';
import { maskName } from '../../kernel/mask.ts';
import { readFileRow } from '../../ledger/file/read-file.ts';
import { type OpenFile, readOpenFiles } from '../../ledger/overview/overview.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { paintFor } from '../print/paint.ts';
import { describeReading, progressLine } from '../print/progress.ts';
import { readableLog } from '../print/readable-log.ts';
import { textTable } from '../print/table.ts';

/** What a person at a terminal sees of `paydrop start`: log lines with file names, waiting drops, long files. */
export type Front = {
  /** Receives the lines of the log. */
  write(line: string): void;
  /** Receives each listing of a drop folder. */
  watch(folder: Folder, scan: Scan): void;
  /** Lists the folders that are watched and, until `close`, shows what is in progress. */
  open(app: App, folders: readonly Folder[]): void;
  close(): Promise<void>;
};

type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Pause between two updates of the progress line, in ms. */
const TICK_MS = 1_000;
const MOST_SHOWN = 3;

/** @param screen a terminal */
export function openFront(settings: Settings, screen: Screen = process.stderr): Front {
  let app: App | undefined;
  let timer: NodeJS.Timeout | undefined;
  let showing: Promise<void> = Promise.resolve();
  const progress = progressLine(screen);
  const paint = paintFor(screen);
  const log = readableLog({
    timeZone: zoneOf(settings),
    paint,
    nameOf: async (fileId) => app && (await readFileRow(app.ledger, fileId)).name,
    show: (line) => {
      progress.clear();
      screen.write(line);
    },
  });
  const waiting = new Map<string, readonly Waiting[]>();
  const plan = () => {
    timer = setTimeout(() => {
      showing = showProgress().finally(() => app && plan());
    }, TICK_MS);
  };
  const showProgress = async () => {
    if (!app) return;
    // A ledger that does not answer is in the log already.
    const open = await readOpenFiles(app.ledger).catch(() => []);
    const now = systemClock.now();
    const words = open
      .filter((file) => file.state !== 'held')
      .map((file) => describeProgress(file, settings.accounts.get(file.account), now));
    const more = words.length > MOST_SHOWN ? [`${counted(words.length - MOST_SHOWN, 'file')} more`] : [];
    const { settingsNotice } = app.health;
    const shown = [...(settingsNotice === undefined ? [] : [settingsNotice]), ...words.slice(0, MOST_SHOWN), ...more];
    if (shown.length === 0) progress.clear();
    else progress.show(shown.join(' · '));
  };
  return {
    write: log.write,
    watch: (folder, { settled, settling, unmarked }) => {
      const seen = new Set(waiting.get(folder.id)?.map(({ name }) => name));
      // What has settled is taken at once, unless a schedule takes it.
      const drops = [...(folder.schedule === undefined ? [] : settled), ...settling, ...unmarked];
      waiting.set(folder.id, drops);
      const now = systemClock.now();
      for (const drop of drops.filter(({ name }) => !seen.has(name))) {
        const name = maskName(drop.name);
        const why = describeDropWait(settings, folder, { ...drop, name }, now, (at, timeZone) =>
          momentsIn(timeZone, now)(at),
        );
        log.say(now, `${paint('bold', name)}: seen in ${folder.id}; ${why}`);
      }
    },
    open: (opened, folders) => {
      app = opened;
      log.say(systemClock.now(), `Ctrl-C stops paydrop; times are in ${zoneOf(settings)}`);
      if (folders.length > 0) log.say(systemClock.now(), `drop folders:\n${folderTable(app, folders)}`);
      plan();
    },
    close: async () => {
      app = undefined;
      clearTimeout(timer);
      // A ledger that hangs must not hold up the end.
      await answerInTime(TICK_MS, showing).catch(() => undefined);
      await log.shown();
      progress.clear();
    },
  };
}

function folderTable(app: App, folders: readonly Folder[]): string {
  const rows = folders.map((folder) => [folder.id, folder.account, folder.operation, describeTaking(app, folder)]);
  return textTable(['Drop folder', 'Account', 'Operation', 'When a file is taken'], rows);
}

/** Says how far a file has come: `june.csv 12 of 200 batches`, `june.csv checked 120,000 of about 400,000 rows`. */
export function describeProgress(file: OpenFile, account: SendTimes | undefined, now: Date): string {
  const { name, state, state_at: since, batches, done } = file;
  if (state === 'claimed')
    return `${name} ${describeReading(file) ?? `being checked for ${spanWords(now.getTime() - since.getTime())}`}`;
  const sendAt = account && nextSendAt(account, now);
  const leftMs = sendAt ? sendAt.getTime() - now.getTime() : 0;
  const wait = leftMs > 0 ? `, waits for its window, which opens in ${spanWords(leftMs)}` : '';
  return `${name} ${done} of ${counted(batches, 'batch')}${wait}`;
}
