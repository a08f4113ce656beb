/** The largest value of an integer column. */
export const maxStoredInteger = 2 ** 31 - 1

/** Whether an integer column can store a number that a file states, which may be any number. */
export const isStorable = (value: number) =>
  Number.isInteger(value) && value >= 0 && value <= maxStoredInteger

/** Rounds a positive number that a file states. Returns null if it is none, or one that no integer column can store. */
export const toStoredInteger = (value: number) => {
  const rounded = Math.round(value)
  return rounded > 0 && isStorable(rounded) ? rounded : null
}
