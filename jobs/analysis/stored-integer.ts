export const maxStoredInteger = 2 ** 31 - 1

export const isStorable = (value: number) =>
  Number.isInteger(value) && value >= 0 && value <= maxStoredInteger

/** Rounds a number stated by a file. Returns null if it is not positive or does not fit an integer column. */
export const toStoredInteger = (value: number) => {
  const rounded = Math.round(value)
  return rounded > 0 && isStorable(rounded) ? rounded : null
}
