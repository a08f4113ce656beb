/** Splits a comma-separated list; empty items are dropped. */
export const splitList = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
