import { DatabaseUnreachable } from './unreachable.ts'

/** The answer, or after `ms` that the database cannot be reached. */
export const withTimeout = <T>(ms: number, answer: Promise<T>) =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new DatabaseUnreachable(`no answer within ${ms} ms`)), ms)
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        settle(value)
      }
    answer.then(settled(resolve), settled(reject))
  })
