/**
 * Makes bull-board's page part of the dashboard: adds a link back and removes what the dashboard's policy forbids, so
 * that browsers log no violations. That is fonts from another server, which would learn who views the queues. It is
 * also inline styles, which only format the text shown while the board loads.
 */
export function tidyBoardPage(html: string): string {
  return html
    .replace(/<link\b[^>]*\bhref="https?:[^>]*>/g, '')
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/(<[a-z]+) style="[^"]*"/g, '$1')
    .replace('</head>', '<link rel="stylesheet" href="/assets/queues.css" /></head>')
    .replace(/<body[^>]*>/, '$&<a class="back-to-desk" href="/">← Back to the desk</a>');
}
