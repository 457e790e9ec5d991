type Element = string | number | boolean | null | undefined;

/** An array in PostgreSQL's text form. undefined becomes null. */
export function arrayText(values: readonly Element[]): string {
  const element = (value: Element) =>
    value === undefined || value === null
      ? 'null'
      : typeof value !== 'string'
        ? value
        : value.includes('"') || value.includes('\\')
          ? `"${value.replace(/["\\]/g, '\\$&')}"`
          : `"${value}"`;
  return `{${values.map(element).join(',')}}`;
}
