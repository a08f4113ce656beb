import type { ScenarioContext } from './scenario-context.ts'
import type { Side } from './side.ts'

/** Caches the result of `create` per side, for fixtures that are slow to create and are only read. */
export const memoizePerSide = <T>(create: (context: ScenarioContext) => Promise<T>) => {
  const cache = new WeakMap<Side, Promise<T>>()
  return (context: ScenarioContext): Promise<T> => {
    const result = cache.get(context.side) ?? context.keep(() => create(context))
    cache.set(context.side, result)
    return result
  }
}
