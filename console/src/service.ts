/** The address of the service, as the browser reaches it: a proxy may have put a path before it. */
export const SERVICE = import.meta.url.replace(/^(.*)\/console\/.*/, '$1');
