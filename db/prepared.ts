import type { Reader } from './connection.ts'

/**
 * A query that is built once for each database it is asked of and is forgotten with that database. A transaction
 * has a session of its own, so what is built for one is never run on another.
 */
export const prepared = <Q extends object>(build: (db: Reader) => Q) => {
  const built = new WeakMap<Reader, Q>()
  return (db: Reader): Q => {
    const known = built.get(db)
    if (known) return known
    const query = build(db)
    built.set(db, query)
    return query
  }
}
