/** The row of a statement whose transaction holds the lock on that row, so that it exists. */
export const requireSingleRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('a locked row is gone')
  return row
}
