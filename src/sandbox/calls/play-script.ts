import { ScriptStep } from '../../../schemas/sandbox/control.ts';
import { type WireField, wireKind, WIRE_OPERATIONS, wireRow } from '../../../schemas/wire.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { FaultKind } from '../faults/fault-kind.ts';
import { FAULT_KINDS, type FaultName, isFaultName } from '../faults/fault-kinds.ts';
import type { CallHead } from '../faults/strike-call.ts';
import { htmlReply, type HttpCall, type Reply } from '../reply.ts';
import { readEnvelope } from '../soap/read-envelope.ts';
import { readMoment } from '../soap/read-parameters.ts';
import { CONTENT_TYPES, ENVELOPE_NAMESPACES, faultReply, type SoapVersion } from '../soap/write-envelope.ts';
import { maskParameters, noteCall } from './note-call.ts';

/** A call that must come, and its answer: a line of a recorded file, or written by hand. */
export type ScriptedCall = {
  /** Ignored. */
  readonly at?: string | undefined;
  /** In the spec's spelling, or the element as sent. */
  readonly operation: string;
  /** Masked or not. The value `*` fits any; the name `*` allows parameters that are not listed. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** 200 when omitted. */
  readonly status?: number | undefined;
  /** Body of the answer; when omitted, the sandbox answers by itself. */
  readonly response?: string | undefined;
  /** Kind of a fault that strikes the call. One that strikes by the headers leaves the parameters unread. */
  readonly fault?: string | undefined;
  /** Ignored. */
  readonly path?: string | undefined;
};

export type Script = {
  /** Compares a call with the next step. */
  take(call: HttpCall): { readonly reply?: Reply | undefined; readonly fault?: FaultName | undefined };
  /** Returns the fault of the next step if it strikes this call by its head; the step is over then. */
  takeHead(head: CallHead): FaultName | undefined;
  /** Says, one sentence each, what was other than the script so far, and which calls are still missing. */
  complaints(): readonly string[];
};

/** Plays a script: each call must be the next one of it. */
export function playScript(steps: readonly ScriptedCall[]): Script {
  const wrong: string[] = [];
  let next = 0;

  function refuse(call: HttpCall, complaint: string) {
    wrong.push(complaint);
    return { reply: faultReply({ version: readEnvelope(call).version, blame: 'client', fault: complaint }) };
  }

  return {
    take: (call) => {
      const { operation, parameters } = noteCall(call, { at: new Date(0) });
      const shown = operation || 'an unreadable request';
      const step = steps[next];
      if (!step) return refuse(call, `The script has ended, and ${shown} came.`);
      const expected = `Call ${next + 1} must be ${step.operation}`;
      if (step.operation !== operation) return refuse(call, `${expected}, and ${shown} came.`);
      next += 1;
      const differences = compare(step, parameters);
      if (differences.length > 0) return refuse(call, `${expected} with ${differences.join(', ')}.`);
      const fault = step.fault !== undefined && isFaultName(step.fault) ? step.fault : undefined;
      return { reply: replyOf(step, readEnvelope(call).version), fault };
    },
    takeHead: ({ operation }) => {
      const step = steps[next];
      const { fault = '' } = step ?? {};
      if (!isFaultName(fault) || !STRIKE_HEADS.includes(FAULT_KINDS[fault].strikes)) return undefined;
      // Only the body names the operation of some calls.
      if (operation !== undefined && step?.operation !== '' && operation !== step?.operation) return undefined;
      next += 1;
      return fault;
    },
    complaints: () => [
      ...wrong,
      ...steps.slice(next).map(({ operation }, index) => `Call ${next + index + 1}, ${operation}, did not come.`),
    ],
  };
}

const STRIKE_HEADS: readonly FaultKind['strikes'][] = ['head', 'half-body'];

/** Returns the parameters that are not as expected, in words. */
function compare({ operation, parameters }: ScriptedCall, came: Readonly<Record<string, string>>): string[] {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  const wanted = maskParameters(new Map(texts.filter(([name, text]) => name !== '*' && text !== '*')), operation);
  const named = new Set(texts.map(([name]) => name));
  const others = named.has('*') ? [] : Object.keys(came).filter((name) => !named.has(name));
  return [
    ...Object.entries(wanted)
      .filter(([name, text]) => !isSame(name, text, came[name] ?? ''))
      .map(([name, text]) => `${name} "${text}" instead of "${came[name] ?? ''}"`),
    ...others.filter((name) => came[name] !== '').map((name) => `no ${name}, which is "${came[name]}"`),
  ];
}

/** Returns whether two masked values mean the same: moments, amounts and booleans have several spellings. */
function isSame(name: string, one: string, other: string): boolean {
  if (one === other) return true;
  if (one === '' || other === '' || !isElement(name)) return false;
  switch (wireKind(name)) {
    case 'dateTime': {
      const moment = readMoment(one);
      return moment !== undefined && moment.getTime() === readMoment(other)?.getTime();
    }
    case 'decimal':
      return Number(one) === Number(other);
    case 'boolean':
      return one.replace('1', 'true').replace('0', 'false') === other.replace('1', 'true').replace('0', 'false');
    case 'text':
    case 'digits':
    case 'enum':
    case 'expiry':
    case 'ipv4':
    case 'base64':
      return false;
  }
}

const ELEMENTS = new Set<string>(WIRE_OPERATIONS.flatMap((operation) => wireRow(operation).elements));

function isElement(name: string): name is WireField {
  return ELEMENTS.has(name);
}

/** Returns the answer of a step in the version of SOAP that the call is in. */
function replyOf({ status = 200, response }: ScriptedCall, version: SoapVersion): Reply | undefined {
  if (response === undefined) return undefined;
  if (/^\s*<!DOCTYPE html/i.test(response)) return { ...htmlReply(status, '', ''), body: response };
  const other = ENVELOPE_NAMESPACES[version === '1.1' ? '1.2' : '1.1'];
  return { status, contentType: CONTENT_TYPES[version], body: response.replace(other, ENVELOPE_NAMESPACES[version]) };
}

/**
 * Reads a script: JSON objects, one a line as they are recorded, or a list of them.
 * @throws USAGE when one is no call; the message names its place
 */
export function readScript(text: string): ScriptedCall[] {
  const steps = text.trimStart().startsWith('[')
    ? (parse(text, 1) as unknown[])
    : text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parse(line, index + 1)]));
  return steps.map((step, index) => {
    const read = ScriptStep.safeParse(step);
    if (!read.success) throw unusable(`call ${index + 1} ${describe(read.error.issues[0])}`);
    if (read.data.fault !== undefined && !isFaultName(read.data.fault)) {
      throw unusable(`call ${index + 1} has an unknown fault`);
    }
    return read.data;
  });
}

function describe(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): string {
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(`line ${line} is not JSON`);
  }
}

function unusable(reason: string): PipelineError {
  return new PipelineError('USAGE', 'play the script', reason, { next: 'See docs/sandbox.md for its form.' });
}
