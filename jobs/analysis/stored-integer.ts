export const maxStoredInteger = 2 ** 31 - 1

export const isStorable = (value: number) =>
  Number.isInteger(value) && value >= 0 && value <= maxStoredInteger

export const toStoredInteger = (value: number) => {
  const rounded = Math.round(value)
  return rounded > 0 && isStorable(rounded) ? rounded : null
}
