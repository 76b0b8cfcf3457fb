/**
 * Makes the page of bull-board one of the desk: with a way back, and without what the policy of the desk forbids anyway, so
 * that browsers have nothing to complain of. That is fonts of another server, which would learn who looks at our queues,
 * and styles within the page, which only dress the word that stands there until the board is loaded.
 */
export function tidyBoardPage(html: string): string {
  return html
    .replace(/<link\b[^>]*\bhref="https?:[^>]*>/g, '')
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/(<[a-z]+) style="[^"]*"/g, '$1')
    .replace('</head>', '<link rel="stylesheet" href="/assets/queues.css" /></head>')
    .replace(/<body[^>]*>/, '$&<a class="back-to-desk" href="/">← Back to the desk</a>');
}
