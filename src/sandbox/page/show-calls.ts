import { REJECTIONS } from '../../../schemas/rejections.ts';
import { WIRE_OPERATIONS } from '../../../schemas/wire.ts';
import type { NotedCall } from '../calls/note-call.ts';
import { FAULT_KINDS } from '../faults/fault-kinds.ts';
import type { PlannedFault } from '../faults/plan-faults.ts';
import { html, type Html } from '../reply.ts';
import { countOf, pageLinks, pageOf, table, timeOf } from './show-books.ts';

const PAGE_CALLS = 20;

/** Shows the last calls, newest first, each request beside its answer. */
export function showCalls(query: URLSearchParams, calls: readonly NotedCall[]): Html {
  const newest = calls.toReversed();
  const shown = pageOf(newest, query, PAGE_CALLS).map(
    ({ at, operation, parameters, status, response, fault }) => html`<details open><summary>${timeOf(at)}
<strong>${operation || 'unreadable request'}</strong> ${status ?? ''} ${fault === undefined ? '' : `struck by ${fault}`}</summary>
<div class="sides"><pre>${requestText(parameters)}</pre><pre>${answerText(response)}</pre></div></details>`,
  );
  return html`<h2>Last calls</h2><p>The last 200 calls; long texts are cut, and numbers and passwords hidden.</p>
${countOf(calls.length, 'call')}${shown}${pageLinks(query, calls.length, PAGE_CALLS)}`;
}

function requestText(parameters: NotedCall['parameters']): string {
  return Object.entries(parameters)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');
}

/** Returns an answer with a line for each element, as the service sends it in one. */
function answerText(response: string | undefined): string {
  return response?.replace(/></g, '>\n<') ?? 'The fault took the place of an answer.';
}

/** Shows the clock and the faults, with their forms. @param faults undefined when the control API is off */
export function showControls(now: Date, faults: readonly PlannedFault[] | undefined): Html {
  const clock = html`<h2>Clock</h2><p>${timeOf(now.toISOString())} UTC</p>`;
  if (!faults)
    return html`${clock}<p>Start the sandbox with <code>--control</code> to move its clock and plan faults here.</p>`;
  return html`${clock}${form('clock', html`<label>Time <input name="set" value="${now.toISOString()}" size="28"></label>`, 'Set')}
${STEPS.map(([ms, text]) => form('clock', html`<input type="hidden" name="advanceMs" value="${ms}">`, text))}
<h2>Faults</h2>${countOf(faults.length, 'planned fault')}${faultTable(faults)}
${form('plan', PLAN, 'Plan this fault')}${form('clear', html``, 'Remove all faults')}
<h2>Start over</h2><p>This removes all payments, customers and faults, and sets the clock to its start.</p>
${form('reset', html``, 'Start over')}`;
}

const HOUR_MS = 60 * 60 * 1000;
const STEPS = [
  [HOUR_MS, 'An hour later'],
  [24 * HOUR_MS, 'A day later'],
  [7 * 24 * HOUR_MS, 'A week later'],
] as const;

function form(name: string, fields: Html, button: string): Html {
  return html`<form method="post" action="/"><input type="hidden" name="form" value="${name}">${fields}<button>${button}</button></form>`;
}

function faultTable(faults: readonly PlannedFault[]): Html {
  const rows = faults.map(
    ({
      kind,
      operation,
      code,
      times,
      seen,
      fired,
    }) => html`<tr><td>${kind}</td><td>${operation}</td><td>${code ?? ''}</td>
<td class="amount">${times}</td><td class="amount">${seen}</td><td class="amount">${fired}</td></tr>`,
  );
  return table('Kind,Operation,Code,Times,Calls seen,Struck', rows);
}

/** The fields of a plan, named as the control API names them. */
const PLAN = html`<label>Kind ${choice('kind', ['reject', ...Object.keys(FAULT_KINDS)])}</label>
<label>Operation ${choice('operation', ['*', 'recurring', ...WIRE_OPERATIONS])}</label>
<label>Code, for reject ${choice('code', ['', ...Object.keys(REJECTIONS)])}</label>
<label>Times <input name="times" value="1" size="6"></label><label>After <input name="after" size="4"></label>
<label>Chance <input name="chance" size="4"></label><label>Seed <input name="seed" size="4"></label>
<label>Delay in ms <input name="delayMs" size="6"></label>`;

function choice(name: string, values: readonly string[]): Html {
  return html`<select name="${name}">${values.map((value) => html`<option>${value}</option>`)}</select>`;
}
