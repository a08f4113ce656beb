/** The row of a statement that always returns one: an upsert, or a change of a row that the transaction has locked. */
export const requireRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}
