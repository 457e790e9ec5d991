/** An array in PostgreSQL's text form. undefined becomes null. */
export function arrayText(values: readonly (string | number | boolean | undefined)[]): string {
  const element = (value: string | number | boolean | undefined) =>
    value === undefined ? 'null' : typeof value !== 'string' ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `{${values.map(element).join(',')}}`;
}
