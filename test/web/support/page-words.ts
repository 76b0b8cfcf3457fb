import { h, type ComponentType } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** The page of a component. */
export function draw<Props extends object>(component: ComponentType<Props>, props: Props): string {
  return renderToString(h(component, props));
}

/** What a person reads of some HTML, with one space between its words. */
export function wordsOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,])(?= |$)/g, '$1')
    .trim();
}

/** The words of a part that the page brings up to date by itself; empty when there is none of that name. */
export function partOf(html: string, name: string): string {
  const from = html.indexOf(`data-part="${name}"`);
  return from < 0 ? '' : wordsOf(html.slice(html.indexOf('>', from) + 1, html.indexOf('</section>', from)));
}
