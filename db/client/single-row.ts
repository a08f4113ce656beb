/** The row of a statement that cannot miss it, because its transaction holds the lock on that row. */
export const requireSingleRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('a locked row is gone')
  return row
}
