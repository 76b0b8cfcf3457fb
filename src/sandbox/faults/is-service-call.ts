/** Returns whether a request calls an operation. Faults never strike descriptions, pages or the control API. */
export function isServiceCall({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && /^\/netgate\/.*\.asmx$/i.test(path);
}
