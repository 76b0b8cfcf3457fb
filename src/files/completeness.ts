import { USUAL_MARKER } from '../../schemas/config.ts';
import type { Completeness } from '../../schemas/lifecycle.ts';

/** What ends the wait for a drop, see `complete` in schemas/config.ts. */
export type CompleteBy =
  | { by: 'quiet'; quietMs: number; probes: number; movedInMs?: number | undefined }
  | { by: 'marker'; suffix: string }
  | { by: 'control' };

/** Ending of a control file name, appended to the name of its payment file. */
export const SIDECAR = '.ctl';

/** Returns the ending of the file by which a sender says that the file beside it is whole. */
export function markerEndingOf(complete: CompleteBy): string {
  switch (complete.by) {
    case 'quiet':
      return USUAL_MARKER;
    case 'marker':
      return complete.suffix;
    case 'control':
      return SIDECAR;
  }
}

export type CompanionKind = 'control' | 'marker';

/** `of`: name of the payment file that the companion belongs to. */
export type CompanionName = { kind: CompanionKind; of: string };

/**
 * Returns what a name belongs to, or undefined for a payment file. The ending decides, in any case: senders on Windows
 * write `X.csv.DONE`. A companion is never a payment file, even if it comes first, late or alone.
 * @param name with one character per byte (latin1), so that any bytes can be compared
 */
export function readCompanionName(name: string, complete: CompleteBy): CompanionName | undefined {
  const marker = latin1(markerEndingOf(complete));
  if (endsWithAnyCase(name, SIDECAR)) return { kind: 'control', of: name.slice(0, -SIDECAR.length) };
  return endsWithAnyCase(name, marker) ? { kind: 'marker', of: name.slice(0, -marker.length) } : undefined;
}

/** Converts text to the one-character-per-byte form of a key. */
export function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function endsWithAnyCase(name: string, ending: string): boolean {
  return ending !== '' && name.slice(-ending.length).toLowerCase() === ending.toLowerCase();
}

/** The control file and the marker of a payment file; both may be the same file. */
export type Companions<File> = { control?: File; marker?: File };

/**
 * Finds the companions of each payment file, by its name. A file may be there in two spellings, `X.csv.done` and
 * `X.csv.DONE`; the configured one counts.
 */
export function gatherCompanions<File extends { key: string }>(
  files: Iterable<File>,
  complete: CompleteBy,
): Map<string, Companions<File>> {
  const marker = latin1(markerEndingOf(complete));
  const found = new Map<string, Companions<File>>();
  for (const file of files) {
    const name = readCompanionName(file.key, complete);
    if (!name) continue;
    const companions = found.get(name.of) ?? {};
    found.set(name.of, companions);
    const isConfigured = file.key.endsWith(name.kind === 'control' ? SIDECAR : marker);
    if (isConfigured || !companions[name.kind]) companions[name.kind] = file;
    if (name.kind === 'control' && marker.toLowerCase() === SIDECAR && companions.control)
      companions.marker = companions.control;
  }
  return found;
}

/** Companions that were found to count, each there or not. */
export type Found<File> = { control: File | undefined; marker: File | undefined };

/**
 * Leaves out what cannot be a marker. In a folder that waits for quiet that is a file with content, because a marker is
 * deleted with its drop, and that content may be payments.
 */
export function usableCompanions<File extends { isEmpty: boolean }>(
  { control, marker }: Companions<File>,
  complete: CompleteBy,
): Found<File> {
  return { control, marker: marker && (complete.by !== 'quiet' || marker.isEmpty) ? marker : undefined };
}

/** Converts companions to parts; what is one file stays one part. */
export function partsOf<File>({ control, marker }: Found<File>, partOf: (file: File) => Part): Companions<Part> {
  const controlPart = control && partOf(control);
  const markerPart = marker === control ? controlPart : marker && partOf(marker);
  return { ...(controlPart && { control: controlPart }), ...(markerPart && { marker: markerPart }) };
}

/**
 * When a drop counts as settled. The only outside evidence is that nothing about it changes. So a drop is quiet once
 * `probes` scans that span at least `quietMs` saw it in the same shape.
 * The minimum age of `quietMs` since the last change follows, because that change precedes the first sighting of the
 * present shape. The time stamp itself is ignored: a file server's clock may run ahead of ours, and a future stamp
 * would hold the file back forever.
 */
export type QuietRule = { quietMs: number; probes: number };

/** A control file that doubles as the marker has content, and appears before its last byte is written. */
export const CONTROL_RULE: QuietRule = { quietMs: 1_000, probes: 2 };

/** What a verdict needs to know of a file, here or on a server. */
export type Part = {
  /** Last change of the content, in any unit: only files of one folder are compared. */
  readonly changedAt: bigint | number;
  isStill(rule: QuietRule): boolean;
  /** Whether it looks moved in and has been the same for so long; absent where that cannot be seen. */
  isMovedIn?(movedInMs: number): boolean;
};

/** `newer_marker`: there is a marker, but the file was changed after it. */
export type Missing = 'marker' | 'newer_marker';

export type Verdict =
  | { is: 'settled'; completeness: Completeness }
  | { is: 'settling' }
  | { is: 'unmarked'; lacks: Missing };

/**
 * Decides whether a payment file is whole, by the rule of its folder. A marker counts only if it is not older than the
 * file: one left over from yesterday says nothing about the file that is being written today.
 */
export function judgeDrop(file: Part, { control, marker }: Companions<Part>, complete: CompleteBy): Verdict {
  const isMarked = marker !== undefined && file.changedAt <= marker.changedAt;
  // The sender writes the marker last, so it vouches for a control file that is not newer.
  const isVouched = isMarked && (!control || (control !== marker && control.changedAt <= marker.changedAt));
  const completeness = control ? 'sidecar' : isMarked ? 'marker' : 'quiet';
  if (complete.by === 'quiet') {
    const { movedInMs } = complete;
    const isStill = [file, ...(control ? [control] : [])].every(
      (part) => part.isStill(complete) || (movedInMs !== undefined && part.isMovedIn?.(movedInMs) === true),
    );
    return isVouched || isStill ? { is: 'settled', completeness } : { is: 'settling' };
  }
  if (!isMarked) return { is: 'unmarked', lacks: marker ? 'newer_marker' : 'marker' };
  return isVouched || control!.isStill(CONTROL_RULE) ? { is: 'settled', completeness } : { is: 'settling' };
}

/** Size and times of a file, as the file system has them. */
export type FileTimes = { readonly size: bigint; readonly mtimeNs: bigint; readonly ctimeNs: bigint };

/** A program that writes changes both times at once; a second covers file servers that keep whole ones. */
const MOVED_GAP_NS = 1_000_000_000n;

/**
 * Returns whether a file looks moved in: its status changed well after its content, as a rename, or a copy that restores
 * the time of its source, leaves it. Both times come from one clock, so a wrong one does not matter. A change of mode or
 * owner in the middle of an upload looks the same: that is the risk of `movedInMs`.
 */
export function looksMovedIn({ size, mtimeNs, ctimeNs }: FileTimes): boolean {
  return size > 0n && ctimeNs - mtimeNs >= MOVED_GAP_NS;
}

/** `sinceMs` is the first sighting of the present shape, in ms since 1970. */
export type Sighting = { shape: string; sinceMs: number; probes: number };

/**
 * Records one sighting of a drop. Any change restarts the count. So does a clock set back before the first sighting,
 * because the elapsed time is then unknown.
 */
export function noteSighting(earlier: Sighting | undefined, shape: string, nowMs: number): Sighting {
  if (earlier?.shape !== shape || nowMs < earlier.sinceMs) return { shape, sinceMs: nowMs, probes: 1 };
  return { ...earlier, probes: earlier.probes + 1 };
}

export function isQuiet(sighting: Sighting, rule: QuietRule, nowMs: number): boolean {
  return sighting.probes >= rule.probes && Math.max(0, nowMs - sighting.sinceMs) >= rule.quietMs;
}

/** @param sighting of a shape that includes the time of the last change of status */
export function isMovedIn(sighting: Sighting, times: FileTimes, movedInMs: number, nowMs: number): boolean {
  return looksMovedIn(times) && isQuiet(sighting, { quietMs: movedInMs, probes: 2 }, nowMs);
}
