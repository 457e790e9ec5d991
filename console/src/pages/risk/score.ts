const hundredths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A score or a part of one. */
export const score = (value: number) => hundredths.format(value);
